// Writes the queue of a bulk cancellation in portions, so that the requests of other relayers come between them. For the clients
// of its relayer it stays one change: their requests wait for the last portion. So it needs the database to itself.
import { RescindError, StaleWrite } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { backOff, type Clock } from '../../ops/clock.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Reads, Store } from '../../store/store.ts'
import type { Bulks } from '../context.ts'

/** The most tries, far more than the bulk cancellations of one relayer that come in the same moment. */
const triesMax = 100

interface FinishingBulks extends Bulks, AsyncDisposable {
  /** The store as clients may see it. */
  readonly store: Store
}

interface Surroundings {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: {
    /** How many transactions are written at once. */
    readonly bulkPortion: number
    readonly bulkBreathMs: number
  }
}

/** Goes on with those that an earlier process began. Disposing lets the portion under way finish. */
export async function finishBulks({ store, clock, logger, limits }: Surroundings): Promise<FinishingBulks> {
  const ended = new AbortController()
  /** The present try of each relayer. */
  const underWay = new Map<RelayerId, Promise<readonly TransactionId[]>>()
  const running = new Set<Promise<void>>()

  async function write(relayerId: RelayerId, canceled: TransactionId[]): Promise<readonly TransactionId[]> {
    while (!ended.signal.aborted) {
      const written = await store.commit((session) => session.cancelPortion(relayerId, limits.bulkPortion), relayerId, {
        long: true,
      })
      canceled.push(...written.canceled)
      if (written.isLast) return canceled
      await clock.sleep(limits.bulkBreathMs, ended.signal)
    }
    throw new RescindError('SHUTTING_DOWN', 'shutting down; the next start goes on with the cancellation')
  }

  /** Tries until the cancellation is written. Requests fail with a try that failed, until the next begins. */
  async function run(relayerId: RelayerId, first: Promise<readonly TransactionId[]>, canceled: TransactionId[]) {
    const outage = loggingOutage(logger, {
      began: 'a bulk cancellation could not be written; trying again',
      over: 'bulk cancellations can be written again',
      facts: { relayer_id: relayerId },
    })
    for (let tried = first; ; ) {
      try {
        await tried
        outage.worked()
        break
      } catch (error) {
        if (ended.signal.aborted) break
        await clock.sleep(backOff(outage.failed(error) - 1), ended.signal)
        tried = write(relayerId, canceled)
        underWay.set(relayerId, tried)
      }
    }
    underWay.delete(relayerId)
  }

  function finish(relayerId: RelayerId): Promise<readonly TransactionId[]> {
    const known = underWay.get(relayerId)
    if (known) return known
    const canceled: TransactionId[] = []
    const first = write(relayerId, canceled)
    underWay.set(relayerId, first)
    const task = run(relayerId, first, canceled).finally(() => running.delete(task))
    running.add(task)
    return first
  }

  for (const relayerId of await store.reads.bulksUnderWay()) finish(relayerId).catch(() => undefined)
  return {
    store: waiting(store, (relayerId) => underWay.get(relayerId), finish),
    portion: limits.bulkPortion,
    finish,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await Promise.all(running)
    },
  }
}

/** Requests for the transactions of a relayer whose queue is being written wait, and fail while it can't be written. */
function waiting(
  store: Store,
  underWay: (relayerId: RelayerId) => Promise<unknown> | undefined,
  finish: Bulks['finish'],
): Store {
  const after =
    <P extends readonly unknown[], R>(read: (relayerId: RelayerId, ...others: P) => Promise<R>) =>
    (relayerId: RelayerId, ...others: P): Promise<R> => {
      const written = underWay(relayerId)
      return written ? written.then(() => read(relayerId, ...others)) : read(relayerId, ...others)
    }
  const { transaction, transactions, transactionItems, transactionMatches, transactionItemsOf, bulkMatches } =
    store.reads
  // The other reads leave the queue out, count it as canceled, or are about nonces, which the first commit canceled.
  const reads: Reads = {
    ...store.reads,
    transaction: after(transaction),
    transactions: after(transactions),
    transactionItems: after(transactionItems),
    transactionMatches: after(transactionMatches),
    transactionItemsOf: after(transactionItemsOf),
    bulkMatches: after(bulkMatches),
  }
  const commit: Store['commit'] = async (unit, relayer, ahead) => {
    if (relayer === undefined) return store.commit(unit, relayer, ahead)
    for (let triesLeft = triesMax; ; triesLeft -= 1) {
      try {
        await underWay(relayer)
        return await store.commit(unit, relayer, ahead)
      } catch (error) {
        // The mark of a bulk cancellation came first, in the same commit: its command is about to write the portions. The mark of
        // another may come before the next try.
        if (!(error instanceof StaleWrite) || triesLeft === 0) throw error
        await finish(relayer)
      }
    }
  }
  return { ...store, reads, commit }
}
