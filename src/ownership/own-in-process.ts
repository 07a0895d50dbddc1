// Ownership for one process: the lock on the database file makes it the only one, so it owns everything from the start.
import type { RelayerId } from '../domain/ids.ts'
import type { Store } from '../store/store.ts'
import { type Holdings, openHoldings } from './holdings.ts'
import type { OwnershipHandlers, Ownerships } from './ownership.ts'

export function ownInProcess(store: Store): Ownerships {
  let wanted: ReadonlySet<RelayerId> = new Set()
  /** A higher epoch showed another process, so that one has the lock now. */
  const gone = new Set<RelayerId>()
  let holdings: Holdings | undefined
  let wake: OwnershipHandlers['wake'] | undefined
  let stopping = false

  const started = () => {
    if (!holdings) throw new Error('start comes first')
    return holdings
  }

  return {
    async start(handlers) {
      wake = handlers.wake
      holdings = openHoldings({
        raiseEpoch: (relayer) => store.commit((session) => session.acquire(relayer), relayer),
        handlers,
        mayAcquire: (relayer) => wanted.has(relayer) && !gone.has(relayer) && !stopping,
        isOver: () => () => false,
      })
    },
    async assign(assigned) {
      wanted = new Set(assigned)
      const { relayers: held, release, acquire } = started()
      await Promise.all([
        ...held()
          .filter((relayer) => !wanted.has(relayer))
          .map(release),
        ...assigned.map(acquire),
      ])
    },
    wake: (relayer, cause) => wake?.(relayer, cause),
    renew: (ownership) => started().renew(ownership),
    yield(ownership) {
      gone.add(ownership.relayer)
      return started().yield(ownership)
    },
    async stop() {
      stopping = true
      await holdings?.releaseAll()
    },
  }
}
