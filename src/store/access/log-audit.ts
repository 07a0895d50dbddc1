// Logs each lasting audit record once its commit is durable, so that a copy leaves the machine with the log.
import { type AuditRecord, shareOf } from '../../domain/audit.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Session, Store } from '../store.ts'

export function loggingAudit(commit: Store['commit'], logger: Logger): Store['commit'] {
  // A session runs one unit after the other, and has a hundred members: each is wrapped once.
  const wrapped = new WeakMap<Session, Session>()
  const lastingOf = new WeakMap<Session, AuditRecord[]>()
  const wrap = (session: Session): Session => ({
    ...session,
    recordAudit(record) {
      if (shareOf(record) === 'lasting') lastingOf.get(session)?.push(record)
      session.recordAudit(record)
    },
  })
  return async (unit, relayer, ahead) => {
    let lasting: AuditRecord[] = []
    const result = await commit(
      (session) => {
        // A unit may run again.
        lasting = []
        lastingOf.set(session, lasting)
        const logged = wrapped.get(session) ?? wrap(session)
        wrapped.set(session, logged)
        return unit(logged)
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
