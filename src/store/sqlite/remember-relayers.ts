// The relayers of a commit: their sends read their row once.
import type { RelayerId } from '../../domain/ids.ts'
import type { Deferred } from '../deferred.ts'
import { readRelayerRow } from '../relayers/relayers.ts'
import { type RememberedRow, rememberRow } from '../relayers/remember-row.ts'
import type { Executor } from '../statement.ts'
import type { Session } from '../store.ts'

/** The session of units that share commits, and what each commit has to write at its end. */
export function rememberRelayers(
  executor: Executor,
  session: Session,
): { readonly session: Session; readonly sequences: Deferred } {
  /** The rows of the commit under way. */
  const remembered = new Map<RelayerId, RememberedRow>()
  /** Read by the unit that runs, which may have changed the row before: if it fails, they are forgotten. */
  const fresh = new Map<RelayerId, Promise<RememberedRow | undefined>>()
  const of = (id: RelayerId): Pick<Session, keyof RememberedRow['remembering']> =>
    remembered.get(id)?.remembering ?? session

  async function read(id: RelayerId): Promise<RememberedRow | undefined> {
    const row = await readRelayerRow(executor, id)
    if (!row) {
      fresh.delete(id)
      return undefined
    }
    const memory = rememberRow({ executor, session, row })
    remembered.set(id, memory)
    return memory
  }

  /** The remembered row of a relayer, for units that send: others read the row once anyway. */
  async function reading(id: RelayerId): Promise<RememberedRow['remembering'] | undefined> {
    const known = remembered.get(id) ?? fresh.get(id) ?? read(id)
    if (known instanceof Promise) fresh.set(id, known)
    return (await known)?.remembering
  }

  function clear(): void {
    remembered.clear()
    fresh.clear()
  }
  return {
    session: {
      ...session,
      relayer: (id) => of(id).relayer(id),
      reserveSequence: async (id) => (await reading(id))?.reserveSequence(id),
      reserveSequences: async (id, count) => (await reading(id))?.reserveSequences(id, count),
      insertTransaction: (transaction) => of(transaction.relayerId).insertTransaction(transaction),
      fence: (id, epoch) => of(id).fence(id, epoch),
      raiseFloor: (id, floor) => of(id).raiseFloor(id, floor),
      acquire: (id) => of(id).acquire(id),
      saveRelayer: (relayer) => of(relayer.id).saveRelayer(relayer),
      removeRelayer: (id, now) => of(id).removeRelayer(id, now),
      async markNetwork(network, pause) {
        for (const { leaveToRow } of [...remembered.values()]) await leaveToRow()
        return session.markNetwork(network, pause)
      },
    },
    sequences: {
      keep() {
        for (const { sequences } of remembered.values()) sequences.keep()
        fresh.clear()
      },
      forget() {
        for (const id of fresh.keys()) remembered.delete(id)
        for (const { sequences } of remembered.values()) sequences.forget()
        fresh.clear()
      },
      async write() {
        for (const { sequences } of remembered.values()) await sequences.write()
        clear()
      },
      reset: clear,
    },
  }
}
