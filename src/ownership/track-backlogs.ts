// Finds work whose hint was lost: a relayer with a queue is woken once for each new sequence, and whenever its owner is idle. A
// transaction that is released a second time, after a replacement that was on hold, has the sequence that was seen before.
import type { RelayerId } from '../domain/ids.ts'
import type { Logger } from '../ops/logger.ts'
import type { Reads } from '../store/store.ts'
import type { OwnershipHandlers } from './ownership.ts'

interface WakeBacklogs {
  readonly reads: Pick<Reads, 'backlogs'>
  readonly handlers: Pick<OwnershipHandlers, 'wake' | 'wakeIfIdle'>
  readonly logger: Logger
}

/** A call during another one does nothing. Never rejects. */
export function backlogWaker({ reads, handlers, logger }: WakeBacklogs): () => Promise<void> {
  let seen: ReadonlyMap<RelayerId, number> = new Map()
  let finding = false

  async function wakeAll(): Promise<void> {
    const found = await reads.backlogs()
    for (const [relayer, sequence] of found) {
      if (seen.get(relayer) === sequence) handlers.wakeIfIdle(relayer)
      else handlers.wake(relayer)
    }
    seen = found
  }

  return async () => {
    if (finding) return
    finding = true
    try {
      await wakeAll()
    } catch (error) {
      logger.debug({ err: error }, 'work whose hint was lost could not be looked for')
    } finally {
      finding = false
    }
  }
}
