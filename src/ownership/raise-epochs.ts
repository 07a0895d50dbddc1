// Raises the epochs of relayers that are acquired at the same moment in one commit: a replica may take over hundreds.
import type { RelayerId } from '../domain/ids.ts'
import type { Store } from '../store/store.ts'

interface Waiting {
  readonly relayer: RelayerId
  done(epoch: bigint | undefined): void
  failed(error: unknown): void
}

/** Returns the new epoch; undefined if there is no such relayer. Rejects as the store does. */
export type RaiseEpoch = (relayer: RelayerId) => Promise<bigint | undefined>

export function raisingEpochs(store: Store): RaiseEpoch {
  let waiting: Waiting[] = []

  const raiseOne = (relayer: RelayerId) => store.commit((session) => session.acquire(relayer), relayer)

  async function raise(together: readonly Waiting[]): Promise<void> {
    try {
      const epochs = await store.commit((session) =>
        Promise.all(together.map(({ relayer }) => session.acquire(relayer))),
      )
      for (const [index, { done }] of together.entries()) done(epochs[index])
    } catch {
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
