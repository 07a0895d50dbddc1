// Removes transactions that ended long ago, in bounded portions. If there is an archive, it holds them before they go.
import { RescindError } from '../domain/errors.ts'
import type { RelayerId, TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { EndedPosition, EndedTransaction } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'
import type { Archive } from './archive.ts'
import { hourlyMs, withBreath } from './with-breath.ts'

interface PruneTransactions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Counted from the end of a transaction. */
  readonly keptMs: number
  /** False for a relayer of another replica, which removes its transactions. */
  readonly isOurs: (relayer: RelayerId) => boolean
  readonly archive?: Archive
}

/** Rows in one unit: it blocks the store no longer than some requests do. */
const rowsAtOnce = 100

/**
 * The last event of a transaction occurs when it ends, up to the difference between two clocks. Before the oldest event by
 * this margin, no transaction has an event that a stream or a queue has not reached.
 */
const eventMarginMs = 86_400_000

export function pruneTransactions(given: PruneTransactions): AsyncDisposable {
  const { clock, logger } = given
  const lines = {
    began: 'old transactions could not be removed; trying again',
    over: 'old transactions can be removed again',
  }
  return inRounds({ clock, logger, everyMs: hourlyMs, lines, round: (signal) => pruneRound(given, signal) })
}

/**
 * Thousands may end at one instant, in a bulk cancellation, and the database counts those that stay at each portion. Those of the
 * instant behind so many wait until the first ones go.
 */
const passedMax = 10_000

/** Passes the transactions that ended before the age once, and removes those that nothing needs. */
async function pruneRound(given: PruneTransactions, signal: AbortSignal): Promise<void> {
  const { store, clock, logger, keptMs } = given
  const oldestEventAt = await store.reads.oldestEventAt()
  // The newest event stays, so without an event no transaction has ever ended.
  if (oldestEventAt === undefined) return
  const before = Math.min(clock.now() - keptMs, oldestEventAt - eventMarginMs)
  let position: EndedPosition | undefined = { endedAt: 0, passed: 0 }
  let removed = 0
  while (position && !signal.aborted) {
    const from: EndedPosition = position
    const portion = await withBreath(clock, signal, () => removePortion(given, before, from))
    removed += portion.removed
    position = portion.next
  }
  if (removed > 0) logger.info({ removed }, 'old transactions are removed')
}

interface Portion {
  readonly removed: number
  /** The position of the next portion; absent after the last. */
  readonly next?: EndedPosition
}

async function removePortion(given: PruneTransactions, before: TimestampMs, from: EndedPosition): Promise<Portion> {
  const ended = await given.store.reads.endedBefore(before, from, rowsAtOnce)
  const ours = Map.groupBy(
    ended.filter(({ relayerId }) => given.isOurs(relayerId)),
    ({ relayerId }) => relayerId,
  )
  const ofEach = await Promise.all(
    [...ours].map(async ([relayerId, each]) => {
      const ids = each.map(({ id }) => id)
      return { relayerId, ids: given.archive ? await archived(given, given.archive, relayerId, ids) : ids }
    }),
  )
  const removing = ofEach.map(({ relayerId, ids }) =>
    given.store.commit((session) => session.removeEnded(relayerId, ids), relayerId, { long: true }),
  )
  const removed = new Set((await Promise.all(removing)).flat())
  const last = ended.at(-1)
  const isLast = last === undefined || ended.length < rowsAtOnce
  return { removed: removed.size, ...(!isLast && { next: positionAfter(from, ended, last, removed) }) }
}

/** The archive holds them durably before their rows go. After a crash it may hold one twice, and none is missing. */
async function archived(
  { store: { reads }, logger }: PruneTransactions,
  archive: Archive,
  relayerId: RelayerId,
  ended: readonly TransactionId[],
): Promise<readonly TransactionId[]> {
  const ids = await reads.removable(relayerId, ended)
  const [labels, bulks] = [await reads.labels(ids), await reads.bulksOf(ids)]
  const read = async (id: TransactionId) => {
    const transaction = await reads.transaction(relayerId, id)
    if (!transaction) return undefined
    const [named, bulkId] = [labels.get(id), bulks.get(id)]
    const more = { ...(named && { labels: named }), ...(bulkId !== undefined && { bulkId }) }
    return { transaction, attempts: await reads.attempts(id), ...more }
  }
  const found = await Promise.all(
    ids.map((id) =>
      read(id).catch((err: unknown) => {
        // An unreadable row stays, and holds up no other. A failure of the database is about all of them.
        if (err instanceof RescindError) throw err
        logger.warn({ err, transaction_id: id }, 'an old transaction could not be read, so it stays')
        return undefined
      }),
    ),
  )
  const records = found.filter((each) => each !== undefined)
  await archive.append(records)
  return records.map(({ transaction }) => transaction.id)
}

/** Removed rows are gone from the list, so only those that stay count. */
function positionAfter(
  from: EndedPosition,
  ended: readonly EndedTransaction[],
  { endedAt }: EndedTransaction,
  removed: ReadonlySet<TransactionId>,
): EndedPosition {
  const stay = ended.filter((each) => each.endedAt === endedAt && !removed.has(each.id)).length
  const passed = stay + (endedAt === from.endedAt ? from.passed : 0)
  return passed < passedMax ? { endedAt, passed } : { endedAt: endedAt + 1, passed: 0 }
}
