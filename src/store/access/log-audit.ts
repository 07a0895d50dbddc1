// Logs each lasting audit record once its commit is durable, so that a copy leaves the machine with the log.
import { type AuditRecord, shareOf } from '../../domain/audit.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Store } from '../store.ts'

export function loggingAudit(commit: Store['commit'], logger: Logger): Store['commit'] {
  return async (unit, relayer, ahead) => {
    let lasting: AuditRecord[] = []
    const result = await commit(
      (session) => {
        // A unit may run again.
        lasting = []
        const recordAudit = (record: AuditRecord) => {
          if (shareOf(record) === 'lasting') lasting.push(record)
          session.recordAudit(record)
        }
        return unit({ ...session, recordAudit })
      },
      relayer,
      ahead,
    )
    for (const record of lasting) logger.info(factsOf(record), 'a change is in the audit log')
    return result
  }
}

/** Without labels, which are a client's words. */
function factsOf({ keyId, operation, requestId, address, relayerId, transactionId, subjectId }: AuditRecord): object {
  return {
    ...{ key_id: keyId, operation, request_id: requestId, address },
    ...{ relayer_id: relayerId, transaction_id: transactionId, subject_id: subjectId },
  }
}
