// Ownership for one process: the lock on the database file makes it the only one, so everything is ours from the start.
import type { RelayerId } from '../domain/ids.ts'
import type { Store } from '../store/store.ts'
import type { Ownership, OwnershipHandlers, Ownerships } from './ownership.ts'

interface Held {
  readonly ownership: Ownership
  readonly release: AbortController
}

/** `relayers` are those to begin with, as in `assign`. */
export function ownInProcess(store: Store, relayers: readonly RelayerId[]): Ownerships {
  const held = new Map<RelayerId, Held>()
  const turns = new Map<RelayerId, Promise<void>>()
  let wanted: ReadonlySet<RelayerId> = new Set(relayers)
  let handlers: OwnershipHandlers | undefined
  let stopping = false

  async function acquire(relayer: RelayerId): Promise<void> {
    if (held.has(relayer) || !wanted.has(relayer) || stopping) return
    const epoch = await store.commit((session) => session.acquire(relayer))
    if (epoch === undefined || stopping) return
    const release = new AbortController()
    const ownership = { relayer, epoch, lost: release.signal }
    held.set(relayer, { ownership, release })
    handlers?.acquired(ownership)
  }

  async function release(relayer: RelayerId): Promise<void> {
    const owned = held.get(relayer)
    if (!owned) return
    held.delete(relayer)
    owned.release.abort()
    await handlers?.released(owned.ownership)
  }

  /** One change of a relayer's ownership at a time: a renewal and an assignment must not both acquire it. */
  function inTurn(relayer: RelayerId, change: () => Promise<void>): Promise<void> {
    const turn = (turns.get(relayer) ?? Promise.resolve()).then(change)
    const settled = turn.catch(() => undefined)
    turns.set(relayer, settled)
    void settled.then(() => turns.get(relayer) === settled && turns.delete(relayer))
    return turn
  }

  return {
    async start(toHandlers) {
      handlers = toHandlers
      await Promise.all(relayers.map((relayer) => inTurn(relayer, () => acquire(relayer))))
    },
    async assign(assigned) {
      wanted = new Set(assigned)
      // Those that are being acquired at this moment, too.
      const given = [...new Set([...held.keys(), ...turns.keys()])].filter((relayer) => !wanted.has(relayer))
      await Promise.all([
        ...given.map((relayer) => inTurn(relayer, () => release(relayer))),
        ...assigned.map((relayer) => inTurn(relayer, () => acquire(relayer))),
      ])
    },
    wake: (relayer) => handlers?.wake(relayer),
    renew: (ownership) =>
      inTurn(ownership.relayer, async () => {
        const owned = held.get(ownership.relayer)
        if (owned && owned.ownership !== ownership) return
        // Given up already when this is another try: then only the second half is left.
        await release(ownership.relayer)
        await acquire(ownership.relayer)
      }),
    async stop() {
      stopping = true
      await Promise.all([...held.keys()].map(release))
    },
  }
}
