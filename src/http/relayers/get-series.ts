// Returns the figures of each five minutes, half hour or two hours: of one relayer, or of all that the key may see (GET).
import { Type } from 'typebox'
import {
  type CallCount,
  delayBoundsSeconds,
  delayFigures,
  type FigureRange,
  type FigureSums,
  type Figures,
  feesOf,
  figuresKeptMs,
  periodMs,
} from '../../domain/figures.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs, Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Reads } from '../../store/store.ts'
import { seriesPointsMax } from '../limits.ts'
import { checkGrant, type Principal } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { parseTime } from '../request/parse-values.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, count, optionalString, such, time, wei } from '../response/forms.ts'
import { foundHistory } from '../response/found.ts'

const stepsMs = [periodMs, 1_800_000, 7_200_000] as const
const rangesMs = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const
const rangeDefault = 'day'

const pointSchema = Type.Object(
  {
    at: time('The beginning of the step'),
    sent: count('Transactions that got a nonce and were signed'),
    confirmed: count('Transactions that were executed, and confirmed'),
    failed: count('Transactions that reverted, counted once confirmed, or that no node took'),
    canceled: count('Transactions whose cancellation was requested in this step, and has not lost'),
    expired: count('The same for those whose `valid_until` passed'),
    confirmation_seconds: Type.Number({
      minimum: 0,
      description: 'The sum of the times from the request to the confirmation',
      examples: [20.5],
    }),
    confirmation_times: Type.Array(Type.Integer({ minimum: 0 }), {
      description:
        'How many took at most `bounds_seconds` of the same index, and more than the one before; the last: longer',
      minItems: delayFigures.length,
      maxItems: delayFigures.length,
      examples: [[0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0]],
    }),
    spent: count('Nonces that the accounts spent and paid for, with those of no-ops'),
    no_ops: count('Of cancellations, among them'),
    unpriced: count('Those whose gas or fees no node reported: the sums do not contain them'),
    gas_used: count('Of all of them'),
    fees: Type.Array(Type.Object({ network: such('mainnet'), fees: wei('Wei') }, { additionalProperties: false }), {
      description: 'By network, as their currencies differ; without relayers that were deleted',
    }),
    calls: Type.Optional(
      count(
        "Calls to the nodes of the relayers' networks, for all relayers of these networks. Absent for a key that is bound to relayers",
      ),
    ),
    failed_calls: Type.Optional(count('Calls among them without a value. Absent with `calls`')),
  },
  { additionalProperties: false },
)

const seriesSchema = closed('Series')({
  from: time(),
  to: time('The end of the last step, which may be in the future'),
  step_seconds: count('300, 1800 or 7200'),
  bounds_seconds: Type.Array(Type.Integer(), {
    description: 'Of `confirmation_times`',
    examples: [[...delayBoundsSeconds]],
  }),
  points: Type.Array(pointSchema, { description: 'One for each step, oldest first, also where nothing happened' }),
})

const querySchema = Type.Object(
  {
    relayer_id: Type.Optional(Type.Unsafe<RelayerId>(Type.String({ description: 'the id of a relayer' }))),
    range: Type.Optional(
      Type.Union([Type.Literal('hour'), Type.Literal('day'), Type.Literal('week')], {
        description: `the last hour, day or week; ${rangeDefault} if neither range nor from is there`,
      }),
    ),
    from: optionalString({
      description: 'instead of range; before to, by at most eight days',
      ...stated({ format: 'date-time' }),
    }),
    to: optionalString({
      description: 'beside from only; now, if it is absent',
      ...stated({ format: 'date-time' }),
    }),
  },
  { additionalProperties: false },
)

export function getSeries(reads: Reads, clock: Pick<Clock, 'now'>) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_NOT_GRANTED'],
    operationId: 'getSeries',
    summary: 'Get the counts, times, gas and fees of the last days, by steps of time',
    description:
      'Kept for eight days. Steps take five minutes, half an hour or two hours, so that there are at most 100. They begin at multiples of their length in UTC.',
    querystring: querySchema,
    response: answers(seriesSchema),
    async answer({ query, principal }) {
      const range = rangeOf(query, clock.now())
      if (query.relayer_id !== undefined) {
        if (principal) checkGrant(principal, 'read', query.relayer_id)
        await foundHistory(reads, query.relayer_id)
      }
      const relayers = query.relayer_id === undefined ? principal?.relayers : [query.relayer_id]
      const [figures, calls] = await Promise.all([
        readFigures(reads, range, relayers),
        // Calls have no relayer: they show a bound key when others move.
        principal?.relayers ? undefined : readCalls(reads, range, await networksOf(reads, relayers)),
      ])
      return success(present(range, figures, calls))
    },
  })
}

/** Throws INVALID_REQUEST. */
function rangeOf(query: { range?: keyof typeof rangesMs; from?: string; to?: string }, now: TimestampMs): FigureRange {
  const { range, from, to } = query
  if (from === undefined) {
    if (to !== undefined) throw invalid('to', to, 'left out, or beside from')
    const stepMs = stepOver(rangesMs[range ?? rangeDefault])
    // With the step that has begun.
    const end = after(now, stepMs)
    return { from: end - rangesMs[range ?? rangeDefault], to: end, stepMs }
  }
  if (range !== undefined) throw invalid('range', range, 'left out beside from')
  const [begins, ends] = [parseTime('from', from), to === undefined ? now : parseTime('to', to)]
  if (begins >= ends) throw invalid('from', from, 'a time before to')
  if (ends - begins > figuresKeptMs) throw invalid('from', from, 'at most eight days before to')
  const stepMs = stepOver(ends - begins)
  return { from: Math.floor(begins / stepMs) * stepMs, to: after(ends, stepMs), stepMs }
}

const stepOver = (ms: number) => stepsMs.find((stepMs) => ms / stepMs < seriesPointsMax) ?? stepsMs[2]

const after = (at: TimestampMs, stepMs: number) => Math.ceil(at / stepMs) * stepMs

/** The figures of these relayers; undefined: of all. */
async function readFigures(reads: Reads, range: FigureRange, relayers: Principal['relayers']) {
  if (!relayers) return reads.figures(range)
  const each = await Promise.all(relayers.map((id) => reads.figures(range, id)))
  return each.flat()
}

async function networksOf(reads: Reads, relayers: Principal['relayers']): Promise<ReadonlySet<string> | undefined> {
  if (!relayers) return undefined
  const each = await Promise.all(relayers.map((id) => reads.relayer(id)))
  return new Set(each.flatMap((relayer) => (relayer ? [relayer.network] : [])))
}

async function readCalls(reads: Reads, range: FigureRange, networks: ReadonlySet<string> | undefined) {
  if (!networks) return reads.nodeCalls(range)
  const each = await Promise.all([...networks].map((network) => reads.nodeCalls(range, network)))
  return each.flat()
}

function present({ from, to, stepMs }: FigureRange, figures: readonly FigureSums[], calls?: readonly CallCount[]) {
  const figuresAt = Map.groupBy(figures, ({ at }) => at)
  const callsAt = calls && Map.groupBy(calls, ({ at }) => at)
  const steps = Array.from({ length: (to - from) / stepMs }, (_, index) => from + index * stepMs)
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step_seconds: stepMs / 1_000,
    bounds_seconds: delayBoundsSeconds,
    points: steps.map((at) => ({
      ...presentPoint(at, figuresAt.get(at) ?? []),
      ...(callsAt && presentCalls(callsAt.get(at) ?? [])),
    })),
  }
}

function presentPoint(at: TimestampMs, figures: readonly FigureSums[]) {
  const sum = (name: keyof Figures) => figures.reduce((total, each) => total + each.figures[name], 0)
  return {
    at: new Date(at).toISOString(),
    sent: sum('sent'),
    confirmed: sum('confirmed'),
    failed: sum('failed'),
    canceled: sum('canceled'),
    expired: sum('expired'),
    confirmation_seconds: sum('delay_ms') / 1_000,
    confirmation_times: delayFigures.map(sum),
    spent: sum('spent'),
    no_ops: sum('no_ops'),
    unpriced: sum('unpriced'),
    gas_used: sum('gas'),
    fees: feesByNetwork(figures),
  }
}

function presentCalls(calls: readonly CallCount[]) {
  return {
    calls: calls.reduce((total, each) => total + each.calls, 0),
    failed_calls: calls.reduce((total, each) => total + each.failed, 0),
  }
}

function feesByNetwork(sums: readonly FigureSums[]) {
  const fees = new Map<string, Wei>()
  for (const { network, figures } of sums) {
    const added = feesOf(figures)
    if (network !== undefined && added > 0n) fees.set(network, (fees.get(network) ?? 0n) + added)
  }
  return [...fees].map(([network, sum]) => ({ network, fees: sum.toString() }))
}
