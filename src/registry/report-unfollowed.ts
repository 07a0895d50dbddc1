// A relayer that this process could advance, and can't any more, or can again. Another process may have been started with
// another key: what is sent to the relayer waits then for somebody who has it, and nothing else would say so.
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Logger } from '../ops/logger.ts'

/** Told of all relayers at each look, with why one can't be followed; undefined where it can. The first look tells nothing. */
export type ReportUnfollowed = (relayers: ReadonlyMap<Relayer, string | undefined>) => void

export function unfollowedReporter(logger: Logger): ReportUnfollowed {
  let before: ReadonlyMap<RelayerId, string | undefined> | undefined
  return (relayers) => {
    const now = new Map([...relayers].map(([{ id }, why]) => [id, why]))
    for (const [id, why] of before ? now : []) {
      const was = before?.get(id)
      if (why === was) continue
      if (why !== undefined) logger.warn({ relayer_id: id }, `this process does not advance this relayer: ${why}`)
      else if (was !== undefined) logger.info({ relayer_id: id }, 'this process advances this relayer again')
    }
    before = now
  }
}
