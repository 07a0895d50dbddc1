// Ownership for one process: the lock on the database file makes it the only one, so everything is ours from the start.
import type { RelayerId } from '../domain/ids.ts'
import type { Store } from '../store/store.ts'
import type { Ownership, OwnershipHandlers, Ownerships } from './ownership.ts'

interface Held {
  readonly ownership: Ownership
  readonly release: AbortController
}

/** `relayers` are those whose key and network are configured: the ones that can be advanced. */
export function ownInProcess(store: Store, relayers: readonly RelayerId[]): Ownerships {
  const held = new Map<RelayerId, Held>()
  let handlers: OwnershipHandlers | undefined
  let stopping = false

  async function acquire(relayer: RelayerId): Promise<void> {
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

  return {
    async start(toHandlers) {
      handlers = toHandlers
      await Promise.all(relayers.map(acquire))
    },
    wake: (relayer) => handlers?.wake(relayer),
    async renew(ownership) {
      const owned = held.get(ownership.relayer)
      if (owned && owned.ownership !== ownership) return
      // Given up already when this is another try: then only the second half is left.
      await release(ownership.relayer)
      if (!stopping) await acquire(ownership.relayer)
    },
    async stop() {
      stopping = true
      await Promise.all([...held.keys()].map(release))
    },
  }
}
