// Finds work whose hint was lost: it reports a relayer with a queue once for each new sequence.
import type { RelayerId } from '../domain/ids.ts'
import type { Logger } from '../ops/logger.ts'
import type { Reads } from '../store/store.ts'

/** Returns the relayers with new transactions in their queue since the last call. */
function trackBacklogs(reads: Pick<Reads, 'backlogs'>): () => Promise<readonly RelayerId[]> {
  let seen: ReadonlyMap<RelayerId, number> = new Map()
  return async () => {
    const found = await reads.backlogs()
    const before = seen
    seen = found
    return [...found].flatMap(([relayer, sequence]) => (before.get(relayer) === sequence ? [] : [relayer]))
  }
}

interface WakeBacklogs {
  readonly reads: Pick<Reads, 'backlogs'>
  readonly wake: (relayer: RelayerId) => void
  readonly logger: Logger
}

/** Wakes those that `trackBacklogs` finds. A call during another one does nothing. Never rejects. */
export function backlogWaker({ reads, wake, logger }: WakeBacklogs): () => Promise<void> {
  const find = trackBacklogs(reads)
  let finding = false
  return async () => {
    if (finding) return
    finding = true
    try {
      for (const relayer of await find()) wake(relayer)
    } catch (error) {
      logger.debug({ err: error }, 'work whose hint was lost could not be looked for')
    } finally {
      finding = false
    }
  }
}
