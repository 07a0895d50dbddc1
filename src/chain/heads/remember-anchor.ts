// The anchor of a network, as stored for all replicas and for the process after this one.
import type { Anchor } from '../../domain/anchor.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Logger } from '../../ops/logger.ts'

export interface AnchorMemory {
  load(): Promise<Anchor | undefined>
  /** Stores `next` in the place of the anchor with this hash, or of none. Returns the anchor that is stored then. */
  save(next: Anchor, before: Hash | undefined): Promise<Anchor | undefined>
  /** Removes the anchor, unless an open transaction of the network has a nonce. Returns whether it did. */
  release(): Promise<boolean>
}

export interface RememberedAnchor {
  /** Reads the store once. Rejects when it does not answer. */
  known(): Promise<Anchor | undefined>
  /** Reads the store anew: another replica, or an operator, may have replaced the anchor. Rejects as `known` does. */
  reload(): Promise<Anchor | undefined>
  move(next: Anchor): Promise<void>
  /** Removes the anchor of a chain that no endpoint serves any more. Returns whether the network has no anchor now. */
  release(): Promise<boolean>
}

export function rememberAnchor({ load, save, release }: AnchorMemory, logger: Pick<Logger, 'warn'>): RememberedAnchor {
  let stored: Promise<Anchor | undefined> | undefined

  function reload(): Promise<Anchor | undefined> {
    const loading = load()
    stored = loading
    loading.catch(() => {
      if (stored === loading) stored = undefined
    })
    return loading
  }
  const known = () => stored ?? reload()

  return {
    known,
    reload,
    async move(next) {
      const before = await known()
      stored = Promise.resolve(await save(next, before?.hash))
    },
    async release() {
      const anchor = await known()
      if (!anchor || !(await release())) return false
      logger.warn(
        { number: anchor.number, hash: anchor.hash },
        'every endpoint denies the anchor of the network, where no open transaction has a nonce: another block replaces it',
      )
      stored = Promise.resolve(undefined)
      return true
    },
  }
}
