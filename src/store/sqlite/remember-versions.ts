// The versions that this process wrote last. No other process writes the file, so a transaction of such a version is the stored one, and
// the owner, which records an attempt and then the nodes' answers, reads no version in between.
import type { TransactionId } from '../../domain/ids.ts'
import { isTerminal } from '../../domain/transaction.ts'
import type { Deferred } from '../deferred.ts'
import type { Session } from '../store.ts'

/** Some steps of the largest windows. More than these are all forgotten, which costs reads, no more. */
const versionsMax = 20_000

/** The session of units that share commits, and what their ends make of the versions that they wrote. */
export function rememberVersions(session: Session): { readonly session: Session; readonly versions: Deferred } {
  const written = new Map<TransactionId, number>()
  /** Of the commit under way, which may fail. */
  let unsure: TransactionId[] = []

  function clear(): void {
    written.clear()
    unsure = []
  }
  function forgetUnsure(): void {
    for (const id of unsure) written.delete(id)
    unsure = []
  }
  return {
    session: {
      ...session,
      current: async (known) => (written.get(known.id) === known.version ? known : session.current(known)),
      async saveTransaction(before, after, now) {
        written.delete(before.id)
        const saved = await session.saveTransaction(before, after, now)
        // The owner writes it no more.
        if (isTerminal(saved)) return saved
        if (written.size >= versionsMax) written.clear()
        written.set(saved.id, saved.version)
        unsure.push(saved.id)
        return saved
      },
      // These write transactions by statements of their own.
      cancelPending(relayerId, now, by) {
        clear()
        return session.cancelPending(relayerId, now, by)
      },
      takeBulk(part, now, reckoning) {
        clear()
        return session.takeBulk(part, now, reckoning)
      },
    },
    versions: {
      keep() {},
      forget: forgetUnsure,
      reset: forgetUnsure,
      async write() {
        unsure = []
      },
    },
  }
}
