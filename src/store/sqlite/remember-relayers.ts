// The relayers of a commit: their sends read their row once, and write the sequences that they take once.
import type { RelayerId } from '../../domain/ids.ts'
import type { Deferred } from '../deferred.ts'
import { lockRelayer } from '../relayers/relayers.ts'
import { type RememberedRow, rememberRow } from '../relayers/remember-row.ts'
import type { Executor } from '../statement.ts'
import type { Session } from '../store.ts'

/** The session of units that share commits, and what each commit has to write at its end. */
export function rememberRelayers(
  executor: Executor,
  session: Session,
): { readonly session: Session; readonly sequences: Deferred } {
  /** Of the commit under way. */
  const remembered = new Map<RelayerId, RememberedRow>()
  const of = (id: RelayerId): Pick<Session, keyof RememberedRow['remembering']> =>
    remembered.get(id)?.remembering ?? session

  /** Only for those that send: others read the row once anyway. */
  async function reading(id: RelayerId): Promise<RememberedRow['remembering'] | undefined> {
    const known = remembered.get(id)
    if (known) return known.remembering
    const [row] = await lockRelayer(executor, id)
    if (!row) return undefined
    const fresh = rememberRow({ executor, session, row })
    remembered.set(id, fresh)
    return fresh.remembering
  }

  const each = (act: (sequences: Deferred) => void) => () => {
    for (const { sequences } of remembered.values()) act(sequences)
  }
  return {
    session: {
      ...session,
      relayer: (id) => of(id).relayer(id),
      reserveSequence: async (id) => (await reading(id))?.reserveSequence(id),
      reserveSequences: async (id, count) => (await reading(id))?.reserveSequences(id, count),
      fence: (id, epoch) => of(id).fence(id, epoch),
      raiseFloor: (id, floor) => of(id).raiseFloor(id, floor),
      acquire: (id) => of(id).acquire(id),
      saveRelayer: (relayer) => of(relayer.id).saveRelayer(relayer),
      removeRelayer: (id, now) => of(id).removeRelayer(id, now),
    },
    sequences: {
      keep: each((sequences) => sequences.keep()),
      forget: each((sequences) => sequences.forget()),
      async write() {
        for (const { sequences } of remembered.values()) await sequences.write()
        remembered.clear()
      },
      reset: () => remembered.clear(),
    },
  }
}
