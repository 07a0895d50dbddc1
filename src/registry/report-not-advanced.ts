// Logs when this process can no longer advance a relayer, and when it can again. Another replica may have been started
// with another key: the relayer's transactions then wait for a replica with its key, and no other line would say so.
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Logger } from '../ops/logger.ts'

/**
 * Called at each refresh with all relayers, and with the reason where one can't be advanced. The first call logs
 * nothing.
 */
type ReportNotAdvanced = (relayers: ReadonlyMap<Relayer, string | undefined>) => void

export function notAdvancedReporter(logger: Logger): ReportNotAdvanced {
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
