// Writes the audit records of refusals, and of changes whose command writes none in its own commit.

import type { FastifyRequest } from 'fastify'
import type { CommandContext } from '../../commands/context.ts'
import type { Scope } from '../../domain/api-key.ts'
import { type AuditRecord, allowed, type Requester, type Touched } from '../../domain/audit.ts'
import { catalogue, type RescindError } from '../../domain/errors.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import { memberOf } from '../../ops/member.ts'
import { auditRefusalKindsMax, auditRefusalsEveryMs, auditRefusalsSoonMs } from '../limits.ts'
import { requesterIdOf } from './authenticate.ts'
import { pathParametersOf } from './parameters.ts'

export interface Auditor extends AsyncDisposable {
  /** Records a change whose command writes no record. It is durable when this resolves. */
  allowed(request: FastifyRequest, answer: unknown): Promise<void>
  /** Records an allowed request that changed nothing, like a refusal. */
  unchanged(request: FastifyRequest): void
  /** Records a refusal within seconds, in the background. */
  refused(request: FastifyRequest, error: RescindError): void
}

/** The requester, for a command that writes the audit record in the commit of its change. */
export function requesterOf(request: FastifyRequest): Requester {
  return {
    keyId: requesterIdOf(request),
    operation: operationOf(request) ?? 'unnamed',
    requestId: request.id,
    address: request.ip,
  }
}

/**
 * Refusals that differ only in their time become one record with a count, and so do requests that change nothing. A minute
 * has a limited number of kinds; those beyond it are counted by their code alone. So a client that changes nothing can't
 * choose the number or the size of rows.
 */
export function openAuditor({ store, clock }: Pick<CommandContext, 'store' | 'clock'>, logger: Logger): Auditor {
  let waiting = new Map<string, AuditRecord & { count: number }>()
  let flushing: Promise<void> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  const ended = new AbortController()
  const outage = loggingOutage(logger, {
    began: 'refusals and requests that changed nothing were not recorded in the audit log',
    over: 'refusals and requests that change nothing are recorded in the audit log again',
    level: 'warn',
  })

  async function flush(): Promise<void> {
    const records = [...waiting.values()]
    waiting = new Map()
    flushedAt = clock.now()
    if (records.length === 0) return
    try {
      await store.commit(async (session) => {
        for (const record of records) session.recordAudit(record)
      })
      outage.worked()
    } catch (err) {
      outage.failed(err, { refusals: records.length })
    }
  }

  async function flushLater(): Promise<void> {
    // The first refusal is flushed soon, so that it is visible; further ones once a minute.
    const pause = Math.max(auditRefusalsSoonMs, flushedAt + auditRefusalsEveryMs - clock.now())
    await clock.sleep(Math.min(pause, auditRefusalsEveryMs), ended.signal)
    flushing = undefined
    await flush()
  }

  /** Unauthenticated requests have a limit of their own, so that they can't crowd out the records of API keys. */
  function isRoom(keyId: string | undefined): boolean {
    const others = [...waiting.values()].filter((other) => (other.keyId === undefined) === (keyId === undefined))
    return others.length < auditRefusalKindsMax
  }

  function count(record: AuditRecord): void {
    const { at, requestId, ...kind } = record
    const name = JSON.stringify(kind)
    const known = waiting.get(name)
    if (known) known.count += 1
    else if (kind.address === undefined || isRoom(kind.keyId)) waiting.set(name, { ...record, count: 1 })
    else count({ at, outcome: kind.outcome, ...(kind.code !== undefined && { code: kind.code }) })
  }

  function countLater(request: FastifyRequest, result: Pick<AuditRecord, 'outcome' | 'code'>): void {
    const operation = operationOf(request)
    count({
      at: clock.now(),
      ...result,
      requestId: request.id,
      address: request.ip,
      ...(operation !== undefined && { operation }),
      ...(request.keyId !== undefined && { keyId: request.keyId, ...touched(request) }),
    })
    flushing ??= flushLater()
  }

  return {
    async allowed(request, answer) {
      const record = allowed(requesterOf(request), clock.now(), {
        ...madeBy(answer),
        ...touched(request),
      })
      await store.commit(async (session) => session.recordAudit(record))
    },
    unchanged(request) {
      countLater(request, { outcome: 'allowed' })
    },
    refused(request, error) {
      if (!isRecorded(request, error)) return
      countLater(request, { outcome: error.status >= 500 ? 'failed' : 'refused', code: error.code })
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      await flushing
      await flush()
    },
  }
}

/** Every refused authorization, and every refused request for a change. */
function isRecorded(request: FastifyRequest, { code, status }: RescindError): boolean {
  if (catalogue[code].status === 401 || code === 'RATE_LIMITED') return true
  return request.principal !== undefined && isChangeRequest(request) && status !== 404
}

export function isChangeRequest({
  method,
  routeOptions: { config },
}: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  return mayChange(method, config.scope)
}

/** A request may change something unless it is a GET, or its scope is `read`. `method`: in capitals. */
export function mayChange(method: string, scope: Scope | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD' && scope !== undefined && scope !== 'read'
}

/** The operation's id; undefined where no route matched. */
function operationOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.config.operationId
}

const idCharsMax = 64

/** The ids in the path, if they have the form of ids: a refused path may have any length. */
function touched(request: FastifyRequest): Touched {
  const { relayer_id: relayerId, transaction_id: transactionId, ...others } = pathParametersOf(request)
  const subjectId = Object.values(others)[0]
  return {
    ...(relayerId !== undefined && { relayerId: relayerId.slice(0, idCharsMax) }),
    ...(transactionId !== undefined && { transactionId: transactionId.slice(0, idCharsMax) }),
    ...(subjectId !== undefined && { subjectId: subjectId.slice(0, idCharsMax) }),
  }
}

/** The id of an entity that a POST created is in the response only. */
function madeBy(answer: unknown): Touched {
  const id = memberOf(memberOf(answer, 'data'), 'id')
  return typeof id === 'string' ? { subjectId: id } : {}
}
