// Work whose hint was lost: a relayer that has a queue is told of once for each place that was taken in it since.
import type { RelayerId } from '../domain/ids.ts'
import type { Reads } from '../store/store.ts'

/** Answers those that have something new in their queue since the last call. */
export function trackBacklogs(reads: Pick<Reads, 'backlogs'>): () => Promise<readonly RelayerId[]> {
  let seen: ReadonlyMap<RelayerId, number> = new Map()
  return async () => {
    const found = await reads.backlogs()
    const before = seen
    seen = found
    return [...found].flatMap(([relayer, sequence]) => (before.get(relayer) === sequence ? [] : [relayer]))
  }
}
