// Mounts an operation at a method and a path, behind authorization.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterCommit } from '../../commands/after-commit.ts'
import { memberOf } from '../../ops/member.ts'
import type { HttpMetrics } from '../../ops/metrics.ts'
import { freePageRowsMax } from '../limits.ts'
import { type Auditor, isChangeRequest } from './audit.ts'
import { requesterIdOf } from './authenticate.ts'
import { authorize, type RequestGuards } from './authorize.ts'
import { type DocumentedOperation, documentedKey, type Operation } from './operation.ts'
import { basePath } from './path-of.ts'
import type { Turns } from './places.ts'

export interface Mounting {
  readonly app: FastifyInstance
  readonly door: RequestGuards
  readonly metrics: HttpMetrics
  /** Under which the OpenAPI document lists the operations; absent for operations that it leaves out. */
  readonly tag?: string
}

export function mount<P, Q, B, H>(
  { app, door, metrics, tag }: Mounting,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  operation: Operation<P, Q, B, H>,
): void {
  const { scope, lesserScope, refusals = [], answerHeaders = [], bodyBytesMax, audited, answer, ...schema } = operation
  const { operationId } = operation
  const answered = metrics.operation(operationId)
  const documented: DocumentedOperation = { scope, refusals, answerHeaders }
  // Fastify validates a request by the schema that its type comes from.
  const handler = answer as unknown as Handler
  app.route({
    method,
    url: `${basePath}${path}`,
    schema: {
      ...schema,
      ...(tag !== undefined && { tags: [tag] }),
      ...{ [documentedKey]: documented },
      ...(method === 'PATCH' && { consumes: ['application/json', 'application/merge-patch+json'] }),
    },
    config: { operationId, ...(scope && { scope }) },
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    ...(scope && { onRequest: (request, reply) => authorize(door, { scope, lesserScope }, request, reply) }),
    ...(scope && method === 'GET' && { preHandler: (request, reply) => awaitTurn(door.pages, request, reply) }),
    onResponse: (_request, reply, done) => {
      answered(reply.statusCode, reply.elapsedTime)
      done()
    },
    handler: audited || !scope ? handler : noted(door.auditor, handler),
  })
}

/** A long page holds its place until its answer is read, or its reader is gone. */
async function awaitTurn(pages: Turns, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (Number(memberOf(request.query, 'per_page') ?? 0) <= freePageRowsMax) return
  const leave = await pages.wait(requesterIdOf(request))
  if (!reply.raw.destroyed) return void reply.raw.once('close', leave)
  leave()
  return reply.hijack()
}

type Handler = (request: FastifyRequest, reply: unknown) => Promise<unknown>

/** Writes the audit record before the response. */
function noted(auditor: Auditor, handler: Handler): Handler {
  return async (request, reply) => {
    const answer = await handler(request, reply)
    if (isChangeRequest(request)) await afterCommit(auditor.allowed(request, answer))
    return answer
  }
}

/** The operation at a second path, which the OpenAPI document leaves out. */
export function unlisted<P, Q, B, H>(operation: Operation<P, Q, B, H>): Operation<P, Q, B, H> {
  return { ...operation, hide: true }
}
