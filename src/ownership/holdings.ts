// The relayers that this process owns. Each is acquired and released in turn.
import type { RelayerId } from '../domain/ids.ts'
import type { Logger } from '../ops/logger.ts'
import type { Ownership, OwnershipHandlers } from './ownership.ts'

/** Returns the new epoch; undefined if there is no such relayer. Rejects as the store does. */
export type RaiseEpoch = (relayer: RelayerId) => Promise<bigint | undefined>

export interface Holdings {
  has(relayer: RelayerId): boolean
  relayers(): readonly RelayerId[]
  /**
   * Resolves once it is held, or need not be: this process has it already, or `mayAcquire` refuses. Rejects as the
   * store does.
   */
  acquire(relayer: RelayerId): Promise<void>
  /** Resolves when its last step is over. */
  release(relayer: RelayerId): Promise<void>
  /** Releases this ownership, unless it is over already, and acquires the relayer again. */
  renew(ownership: Ownership): Promise<void>
  /** Releases this ownership, unless it is over already. */
  yield(ownership: Ownership): Promise<void>
  /** Every ownership is lost before this returns; resolves when their last steps are over. */
  releaseAll(): Promise<void>
}

interface Held {
  readonly ownership: Ownership
  readonly release: AbortController
}

/** `isOver` returns the function that later checks the ownership acquired at this moment. */
export function openHoldings(given: {
  readonly raiseEpoch: RaiseEpoch
  readonly handlers: OwnershipHandlers
  readonly mayAcquire: (relayer: RelayerId) => boolean
  readonly isOver: () => () => boolean
}): Holdings {
  const { raiseEpoch, handlers, mayAcquire } = given
  const held = new Map<RelayerId, Held>()
  const turns = new Map<RelayerId, Promise<void>>()

  async function acquire(relayer: RelayerId): Promise<void> {
    if (held.has(relayer) || !mayAcquire(relayer)) return
    const isOver = given.isOver()
    const epoch = await raiseEpoch(relayer)
    if (epoch === undefined || !mayAcquire(relayer) || isOver()) return
    const release = new AbortController()
    const ownership = { relayer, epoch, lost: release.signal, isOver }
    held.set(relayer, { ownership, release })
    handlers.acquired(ownership)
  }

  async function release(relayer: RelayerId): Promise<void> {
    const owned = held.get(relayer)
    if (!owned) return
    held.delete(relayer)
    owned.release.abort()
    await handlers.released(owned.ownership)
  }

  /** One change of a relayer's ownership at a time: a renewal and an assignment must not both acquire it. */
  function inTurn(relayer: RelayerId, change: () => Promise<void>): Promise<void> {
    const turn = (turns.get(relayer) ?? Promise.resolve()).then(change)
    const settled = turn.catch(() => undefined)
    turns.set(relayer, settled)
    void settled.then(() => turns.get(relayer) === settled && turns.delete(relayer))
    return turn
  }

  const isAnother = (ownership: Ownership) => {
    const owned = held.get(ownership.relayer)
    return owned !== undefined && owned.ownership !== ownership
  }

  return {
    has: (relayer) => held.has(relayer),
    // Includes relayers that are being acquired now.
    relayers: () => [...new Set([...held.keys(), ...turns.keys()])],
    acquire: (relayer) => inTurn(relayer, () => acquire(relayer)),
    release: (relayer) => inTurn(relayer, () => release(relayer)),
    renew: (ownership) =>
      inTurn(ownership.relayer, async () => {
        if (isAnother(ownership)) return
        // On a repeated try the release is done already: then only the second half is left.
        await release(ownership.relayer)
        await acquire(ownership.relayer)
      }),
    yield: (ownership) =>
      inTurn(ownership.relayer, async () => {
        if (!isAnother(ownership)) await release(ownership.relayer)
      }),
    async releaseAll() {
      for (const { release: abort } of held.values()) abort.abort()
      await Promise.all([...held.keys(), ...turns.keys()].map((relayer) => inTurn(relayer, () => release(relayer))))
    },
  }
}

/** Logs the failure of a release that nobody waits for. */
export function releaseUnattended(releasing: Promise<void>, logger: Logger): void {
  releasing.catch((error: unknown) => logger.error({ err: error }, 'a relayer could not be given up'))
}
