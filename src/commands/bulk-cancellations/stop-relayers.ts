// The commit of a bulk cancellation at each of its relayers: one instant for each. What fails is tried again, also by the next start
// and, where there are several, by any replica.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { WaitingBulkPart } from '../../domain/bulk-cancellation.ts'
import { type Costing, missingPrice, type Reckoning } from '../../domain/cost-limit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import { runFew } from '../../ops/run-few.ts'
import type { Session } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'
import { retryUntilDone } from './retry-parts.ts'

/** Parts that one read finds. */
const partsAtOnce = 100

interface Pausing {
  /** Pauses the relayer in the unit of the part's commit. Resolves to whether it was not paused before. */
  pause(session: Session, relayer: RelayerId, requester: Requester, now: TimestampMs): Promise<boolean>
  /** Called after the commit of a pause. */
  takeEffect(): Promise<void>
}

export interface BulkStops extends AsyncDisposable {
  /**
   * Stops the relayer of each part, and with `isInTurn` one after the other. Resolves once each was tried: one that failed waits,
   * and is tried again.
   */
  stopAll(parts: readonly WaitingBulkPart[], order: { readonly isInTurn: boolean }): Promise<void>
  /** This process has observed the chain for the relayer: a part of it that lacked a price is tried at once. */
  observed(relayer: Relayer): void
  /** The prices that this process last observed. */
  readonly reckoning: Reckoning
  /** The facts by which a `max_cost` is one amount. Calls no node. Throws where the configuration lacks the network. */
  costingOf(relayer: Relayer): Costing
}

interface Given extends Pausing {
  readonly reckoning: Reckoning
  /** The symbol of its network's native currency. */
  readonly symbolOf: (relayer: Relayer) => string
  readonly context: CommandContext
  readonly logger: Logger
  /** Commits at a time: a database of its own has one writer. */
  readonly atOnce: number
  /** How often parts of other replicas are looked for, which may have crashed. Absent: there is no other. */
  readonly lookEveryMs?: number
}

/** Goes on with the parts that an earlier process left. Disposing lets the commit under way finish. */
export function stopRelayers({
  context,
  logger,
  atOnce,
  lookEveryMs,
  reckoning,
  symbolOf,
  ...pausing
}: Given): BulkStops {
  const { store, clock } = context
  const ended = new AbortController()
  const outage = loggingOutage(logger, {
    began: 'a relayer could not be stopped for a bulk cancellation; trying again',
    over: 'relayers can be stopped for bulk cancellations again',
  })
  // A replica that has just started has read none yet: no fault.
  const unpriced = loggingOutage(logger, {
    began: 'a relayer is stopped for a bulk cancellation with max_cost once its price was read',
    over: 'the relayers of bulk cancellations with max_cost have prices again',
    level: 'warn',
  })
  /** Relayers whose parts are being tried, or lacked a price when they were. */
  const awaited = new Set<RelayerId>()

  /** Whether each of them could be stopped. */
  async function tryAll(parts: readonly WaitingBulkPart[], max = atOnce): Promise<boolean> {
    let failed = false
    const one = async (part: WaitingBulkPart) => {
      if (ended.signal.aborted) return
      awaited.add(part.relayerId)
      try {
        await stopOne(context, { ...pausing, reckoning }, part)
        awaited.delete(part.relayerId)
      } catch (error) {
        const isUnpriced = error instanceof RescindError && error.code === 'PRICE_UNOBSERVED'
        if (!isUnpriced) awaited.delete(part.relayerId)
        const facts = { relayer_id: part.relayerId, bulk_cancellation: part.bulkId }
        if (!ended.signal.aborted) (isUnpriced ? unpriced : outage).failed(error, facts)
        failed = true
      }
    }
    const few = runFew(max)
    await Promise.all(parts.map((part) => few(() => one(part))))
    if (!failed) for (const each of [outage, unpriced]) each.worked()
    return !failed
  }

  /** Whether one waits still. One that can't be stopped keeps none behind it from its turn. */
  async function tryWaiting(): Promise<boolean> {
    let isLeft = false
    for (let after = 0; !ended.signal.aborted; ) {
      const parts = await store.reads.waitingBulkParts(partsAtOnce, after).catch(() => undefined)
      const last = parts?.at(-1)
      if (!parts || !last) return isLeft || parts === undefined
      if (!(await tryAll(parts))) isLeft = true
      after = last.number
    }
    return true
  }

  const retries = retryUntilDone({ tryOnce: tryWaiting, clock, signal: ended.signal })

  const costingOf = (relayer: Relayer): Costing => ({
    ...{ id: relayer.id, symbol: symbolOf(relayer), profile: reckoning.policyOf(relayer).profile },
    market: reckoning.priceOf(relayer)?.market,
  })

  async function look(everyMs: number): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(everyMs, ended.signal)
      retries.begin()
      await retries.done()
    }
  }

  retries.begin()
  const looking = lookEveryMs === undefined ? undefined : look(lookEveryMs)
  return {
    async stopAll(parts, { isInTurn }) {
      if (!(await tryAll(parts, isInTurn ? 1 : atOnce))) retries.begin()
    },
    observed(relayer) {
      if (!awaited.has(relayer.id) || missingPrice(costingOf(relayer)) !== undefined) return
      awaited.delete(relayer.id)
      retries.hurry()
    },
    reckoning,
    costingOf,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await retries.done()
      await looking
    },
  }
}

async function stopOne(
  context: CommandContext,
  { reckoning, ...pausing }: Pausing & Pick<Given, 'reckoning'>,
  part: WaitingBulkPart,
): Promise<void> {
  const { store } = context
  const now = context.clock.now()
  const { bulkId, relayerId } = part
  const stopped = await store.commit(
    async (session) => {
      const stop = await session.takeBulk(part, now, reckoning)
      if (!stop) return undefined
      const { head, requester, taken } = stop
      if (!requester) return { taken, isPausedNow: false }
      session.recordAudit(allowed(requester, now, { relayerId, subjectId: bulkId }))
      const isPausedNow = head.pause && (await pausing.pause(session, relayerId, requester, now))
      return { taken, isPausedNow }
    },
    relayerId,
    { long: true, ...(part.pause && { registry: true }) },
  )
  if (!stopped) return
  const { taken, isPausedNow } = stopped
  if (isPausedNow) await pausing.takeEffect()
  if (taken.racing > 0 || taken.rebounded) context.wake(relayerId)
}
