// Reports that the process is alive, and whether the service accepts requests (GET): the store accepts writes, and the process is not stopping.
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerState } from '../../domain/owner-report.ts'
import { type HeldProcessCondition, pageOf, processConditions } from '../../domain/process-condition.ts'
import type { Clock } from '../../ops/clock.ts'
import { late, within } from '../../ops/within.ts'
import { readinessBelievedMs, readinessPatienceMs } from '../limits.ts'
import { operation } from '../request/operation.ts'
import { success, successSchema } from '../response/envelope.ts'
import { closed, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'

const healthSchema = Type.Literal('OK')

export function health() {
  return operation({
    operationId: 'getHealth',
    summary: 'Whether the process is alive',
    security: [],
    response: { 200: { description: 'It is', content: { 'text/plain': { schema: healthSchema } } } },
    async answer(_request, reply) {
      reply.type('text/plain; charset=utf-8')
      return 'OK'
    },
  })
}

// Reports readiness (GET): the store accepts writes, and the process is not stopping.
export interface Readiness {
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal
  /** Rejects when the service can't do its work. */
  readonly check: () => Promise<void>
  /** The number of relayers in each state, by the last observations of this process: calls no node. */
  readonly relayers: () => Readonly<Record<RelayerState, number>>
  /** What hinders this process. */
  readonly conditions: () => readonly HeldProcessCondition[]
}

const relayersInState = Type.Integer({ minimum: 0 })
const relayersByState = {
  ok: relayersInState,
  waiting: relayersInState,
  paused: relayersInState,
  unreachable: relayersInState,
  unobserved: relayersInState,
} satisfies Record<RelayerState, unknown>

const relayersSchema = closed('RelayersByState', {
  description:
    'how many relayers are in each state, by the last observations of this process: no node is called. An outage of nodes changes no status code',
})(relayersByState)

const conditionSchema = closed('ProcessCondition')({
  condition: Type.Enum([...processConditions]),
  since: time(),
  reason: Type.Optional(such('the database has a full disk: nothing of this is stored')),
  runbook: such('/docs/alerts.md#log_lost'),
})

const conditionsSchema = Type.Array(conditionSchema, {
  description: 'what hinders the process that answers, whatever its relayers do. It serves requests nevertheless',
})

const dataSchema = Type.Object(
  {
    status: Type.Literal('ready'),
    version: such('1.0.0'),
    relayers: relayersSchema,
    conditions: conditionsSchema,
  },
  { title: 'Readiness' },
)

/** The envelope, and the members that clients of OpenZeppelin Relayer read. */
const readySchema = closed('ReadinessAnswer')({
  ...successSchema(dataSchema).properties,
  ready: Type.Literal(true),
  status: Type.Literal('healthy'),
  timestamp: time(),
  components: Type.Object({ store: Type.Object({ status: Type.Literal('healthy') }) }),
})

export function ready({ readiness, clock, version }: { readiness: Readiness; clock: Clock; version: string }) {
  const check = believed(readiness.check, clock)
  const relayers = kept(readiness.relayers, clock)
  return operation({
    refusals: ['NOT_READY'],
    operationId: 'getReadiness',
    summary: 'Whether the service accepts requests',
    security: [],
    response: { 200: readySchema },
    async answer() {
      if (readiness.stopping.aborted) throw new RescindError('SHUTTING_DOWN', 'shutting down')
      await check().catch((cause) => {
        throw cause instanceof RescindError
          ? cause
          : new RescindError('NOT_READY', 'the store does not answer', { cause })
      })
      return {
        ...success({ status: 'ready', version, relayers: relayers(), conditions: readiness.conditions().map(present) }),
        ready: true,
        status: 'healthy',
        timestamp: presentTime(clock.now()),
        components: { store: { status: 'healthy' } },
      }
    },
  })
}

function present({ since, ...held }: HeldProcessCondition) {
  return { ...held, since: presentTime(since), runbook: pageOf(held.condition) }
}

/**
 * The check is open to everyone and costs a durable write, so requests share its result for a moment. A check that
 * hangs holds a connection, so a second one never starts beside it.
 */
function believed(check: () => Promise<void>, clock: Clock): () => Promise<void> {
  let last: { at: number; answer: Promise<void>; isOver: boolean } | undefined
  function begin() {
    const fresh = { at: clock.elapsed(), answer: check(), isOver: false }
    const end = () => {
      fresh.isOver = true
    }
    fresh.answer.then(end, end)
    return fresh
  }
  return () => {
    if (!last || (last.isOver && clock.elapsed() - last.at >= readinessBelievedMs)) last = begin()
    return inTime(last.answer, clock)
  }
}

/** The operation is open to everyone, and there may be many relayers. */
function kept<T>(read: () => T, clock: Clock): () => T {
  let last: { readonly at: number; readonly value: T } | undefined
  return () => {
    if (!last || clock.elapsed() - last.at >= readinessBelievedMs) last = { at: clock.elapsed(), value: read() }
    return last.value
  }
}

async function inTime(answer: Promise<void>, clock: Clock): Promise<void> {
  const first = await within(clock, readinessPatienceMs, () => answer)
  if (first === late) throw new RescindError('NOT_READY', 'the store did not answer in time')
}
