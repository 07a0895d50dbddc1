// Finds work whose hint was lost: it reports a relayer with a queue once for each new sequence.
import type { RelayerId } from '../domain/ids.ts'
import type { Reads } from '../store/store.ts'

/** Returns the relayers with new transactions in their queue since the last call. */
export function trackBacklogs(reads: Pick<Reads, 'backlogs'>): () => Promise<readonly RelayerId[]> {
  let seen: ReadonlyMap<RelayerId, number> = new Map()
  return async () => {
    const found = await reads.backlogs()
    const before = seen
    seen = found
    return [...found].flatMap(([relayer, sequence]) => (before.get(relayer) === sequence ? [] : [relayer]))
  }
}
