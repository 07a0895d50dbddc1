// Raises the epochs of relayers that are acquired at the same moment in one commit: a replica may take over hundreds.
import { LocksElsewhere } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { LockProof } from '../store/locks.ts'
import type { Session, Store } from '../store/store.ts'

interface Waiting {
  readonly relayer: RelayerId
  done(epoch: bigint | undefined): void
  failed(error: unknown): void
}

/** Returns the new epoch; undefined if there is no such relayer. Rejects as the store does. */
export type RaiseEpoch = (relayer: RelayerId) => Promise<bigint | undefined>

/** `proofOf` returns the locks that each commit has to find on its own server; undefined where there is only one. */
export function raisingEpochs(
  store: Store,
  proofOf: (relayers: readonly RelayerId[]) => LockProof | undefined = () => undefined,
): RaiseEpoch {
  let waiting: Waiting[] = []

  async function acquireIn(session: Session, relayers: readonly RelayerId[]): Promise<(bigint | undefined)[]> {
    const proof = proofOf(relayers)
    if (proof) await session.proveLocks(proof)
    return Promise.all(relayers.map((relayer) => session.acquire(relayer)))
  }

  async function raiseOne(relayer: RelayerId): Promise<bigint | undefined> {
    const [epoch] = await store.commit((session) => acquireIn(session, [relayer]), relayer)
    return epoch
  }

  async function raise(together: readonly Waiting[]): Promise<void> {
    try {
      const relayers = together.map(({ relayer }) => relayer)
      const epochs = await store.commit((session) => acquireIn(session, relayers))
      for (const [index, { done }] of together.entries()) done(epochs[index])
    } catch (error) {
      if (error instanceof LocksElsewhere) {
        for (const { failed } of together) failed(error)
        return
      }
      // A problem with one of them must not keep the others from being acquired.
      for (const { relayer, done, failed } of together) raiseOne(relayer).then(done, failed)
    }
  }

  return (relayer) =>
    new Promise((done, failed) => {
      waiting.push({ relayer, done, failed })
      if (waiting.length > 1) return
      queueMicrotask(() => {
        // In one order everywhere: two replicas that raise the same epochs then never deadlock.
        const together = waiting.sort((one, other) => (one.relayer < other.relayer ? -1 : 1))
        waiting = []
        void raise(together)
      })
    })
}
