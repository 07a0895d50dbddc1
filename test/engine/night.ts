// A night: a relayer on the production store, metrics and reports, an owner that looks at each block, and what goes wrong meanwhile.
import { readOverview } from '../../src/commands/relayers/read-overview.ts'
import { samplingRelayers } from '../../src/commands/sample-metrics.ts'
import type { Attempt, BroadcastOutcome } from '../../src/domain/attempt.ts'
import type { Condition } from '../../src/domain/condition.ts'
import type { Market } from '../../src/domain/fees.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { type RelayerState, stateOf } from '../../src/domain/owner-report.ts'
import { isPaused } from '../../src/domain/pause.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import type { NetworkPolicy, Relayer } from '../../src/domain/relayer.ts'
import { reportToAll } from '../../src/domain/relayer-observer.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import { type Reconciling, reconcile } from '../../src/engine/reconcile.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import type { OwnerMemory } from '../../src/engine/step.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { openPrometheus } from '../../src/ops/prometheus/open.ts'
import { ownByLocks } from '../../src/ownership/own-by-locks.ts'
import { recordReports } from '../../src/reports/record-reports.ts'
import { blockHash, ether, gwei, headAt, height, someMarket, someObservation, somePolicy } from '../domain/some.ts'
import { openLockServer } from '../ownership/locks-in-memory.ts'
import { quiet } from '../store/open-store.ts'
import { parseExposition, readingOf } from '../support/exposition.ts'
import { quiescence, until } from '../support/settled.ts'
import { heldSigner } from './held-signer.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from './workplace.ts'

/** What the chain shows at a block, where it differs from a quiet day. */
export interface View extends Partial<Omit<Observation, 'market'>> {
  /** Of the head and of the market. */
  readonly baseFee?: bigint
  readonly market?: Partial<Market> | 'none'
}

export interface Sight {
  readonly block: number
  readonly id: TransactionId
  /** The first attempt of the transaction. Throws before it has one. */
  first(): Attempt
}

export interface Night {
  readonly policies?: Partial<Policies>
  readonly policy?: NetworkPolicy
  readonly send?: SendRequest
  readonly memory?: Partial<OwnerMemory>
  /** The chain before the night, and after it. */
  readonly day?: View
  /** The chain from the second block on, which is the first for a transaction that gets no nonce. Absent: as by day. */
  readonly dark?: View | 'silence' | ((sight: Sight) => View)
  /** The chain at its end. Absent: as by day, with a block that holds the newest attempt. */
  readonly dawn?: View | ((sight: Sight) => View)
  /** Every node's answer to a broadcast. */
  readonly answer?: BroadcastOutcome
  /** It gets no nonce before the night ends. */
  readonly isQueued?: true
  /** No step sees it: the owner's loop runs, or there is no owner. */
  readonly isRunning?: true
  /** A key service signs, and fails until a row says otherwise. */
  readonly isRemote?: true
  /** The transaction waits as its client wants: nobody else learns of it. */
  readonly isWanted?: true
  /** The relayer as a whole has the condition. The row of its transaction says this. */
  readonly says?: RegExp
  /** Absent: `waiting`. */
  readonly state?: RelayerState
  readonly before?: (place: NightPlace) => Promise<unknown>
  /** What begins the night, beside the chain. */
  readonly dusk?: (place: NightPlace, id: TransactionId) => Promise<unknown> | void
  /** What ends it, beside the chain. */
  readonly end?: (place: NightPlace, id: TransactionId) => Promise<unknown> | void
}

export const blocktimeMs = 12_000

const heights = Array.from({ length: 50 }, (_, index) => height - 10 + index)

function observationAt(
  block: number,
  timestampMs: number,
  { baseFee = 10n * gwei, market = {}, ...seen }: View,
): Observation {
  const { market: _, ...rest } = someObservation({
    head: headAt(height + block, { baseFee, timestampMs }),
    canonical: new Map(heights.map((each) => [each, blockHash(each)])),
    ...{ blocktimeMs, balance: ether, ...seen },
  })
  if (market === 'none') return rest
  const priced = { baseFee, gasPrice: baseFee + 2n * gwei, blocks: { areUsed: true, haveRoom: true } }
  return { ...rest, market: { ...someMarket, ...priced, ...market } }
}

export type NightPlace = Awaited<ReturnType<typeof openNight>>

export async function openNight({ policies = {}, policy = somePolicy, memory, isRunning, isRemote }: Night) {
  const place = await openWorkplace(policies)
  const { chain, clock } = place
  const { id } = place.relayer
  const { store } = place.under
  const local = place.context.signerOf(place.relayer)
  const remote = heldSigner(local)
  remote.mood = 'fails'
  const metrics = openPrometheus({ version: '1', clock, states: watchProcess(clock, processConditions) })
  const reports = recordReports({ store, clock, logger: quiet })
  const observer = reportToAll(metrics.relayers, reports.observer)
  const context = { ...place.context, observer, policyOf: () => policy, signerOf: () => (isRemote ? remote : local) }
  // A scrape makes all relayers known.
  await samplingRelayers(store.reads, metrics.relayers)()
  const server = openLockServer()
  let isSigned = false
  const signatures = trackSignatures(clock, () => {
    isSigned = true
  })
  const underWay = { ...noneHanging, signatures }
  let carried: OwnerMemory = { ...nothingUnknown, ...memory }
  let running: Reconciling | undefined
  const ownership = isRunning ? undefined : await place.own()
  const locks = { locks: server.locks, hints: server.hints }
  const ownerships = ownByLocks({ store, clock, logger: quiet, ...locks })

  async function advance(): Promise<void> {
    if (!ownership) {
      if (!running) {
        running = await reconcile(context, ownerships)
        await ownerships.assign([id])
      }
      chain.newHead()
      return quiescence()
    }
    for (let again = 0; again < 8; again += 1) {
      isSigned = false
      const rest = await step(context, ownership, carried, underWay)
      carried = rest.carried
      await quiescence()
      if (rest.againAfterMs !== 0 && !isSigned) return
    }
  }

  async function relayer(): Promise<Relayer> {
    const found = await store.reads.relayer(id)
    if (!found) throw new Error('no relayer')
    return found
  }

  return {
    ...place,
    /** The key service. */
    remote,
    elsewhere: server.elsewhere,
    /** A block comes, or time passes without one, and the owner looks. `silence`: no node answers. */
    async look(block: number, view: View | 'silence' = {}) {
      chain.view = view === 'silence' ? undefined : observationAt(block, clock.now(), view)
      await advance()
      clock.advance(blocktimeMs)
    },
    async change(changes: Partial<Relayer>) {
      const before = await relayer()
      await store.commit((session) => session.saveRelayer({ ...before, ...changes }))
    },
    answers(outcome: BroadcastOutcome) {
      chain.answer = () => outcome
    },
    /** What an operator reads of the relayer. */
    async overview() {
      const found = await relayer()
      const { report, conditions } = await readOverview(store.reads, found, { pauses: new Map(), outages: [] })
      return { conditions, report, state: stateOf(isPaused(found), report, report?.observedAt ?? 0) }
    },
    /** Waits for what is reported, or done, beside the steps. */
    awaits(what: string, isSo: () => Promise<boolean>) {
      return until(what, async () => {
        if (clock.sleeping.length > 0) clock.advance(1_000)
        return isSo()
      })
    },
    async metric(condition: Condition) {
      const exposed = parseExposition((await metrics.expose()).text)
      return readingOf(exposed, 'rescind_relayer_condition', { relayer: id, condition })
    },
    async [Symbol.asyncDispose]() {
      await running?.[Symbol.asyncDispose]()
      await reports[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
