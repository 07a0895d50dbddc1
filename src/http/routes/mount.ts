// Puts an operation behind a method and a path: the door first, then the operation.
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { HttpMetrics } from '../../ops/metrics.ts'
import { admit, type Door } from '../admit.ts'
import type { Operation } from '../operation.ts'

export interface Mounting {
  readonly app: FastifyInstance
  readonly door: Door
  readonly metrics: HttpMetrics
}

export const basePath = '/api/v1'

export function mount<S extends FastifySchema>(
  { app, door, metrics }: Mounting,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { scope, bodyBytesMax, schema, answer }: Operation<S>,
): void {
  const answered = metrics.operation(operationIdOf(schema))
  app.route({
    method,
    url: `${basePath}${path}`,
    schema,
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    ...(scope && { onRequest: (request, reply) => admit(door, scope, request, reply) }),
    onResponse: (_request, reply, done) => {
      answered(reply.statusCode, reply.elapsedTime)
      done()
    },
    handler: answer as unknown as (request: unknown, reply: unknown) => Promise<unknown>,
  })
}

function operationIdOf(schema: FastifySchema): string {
  return (schema as { operationId?: string }).operationId ?? 'unnamed'
}

/** The same operation under a second path, of which the OpenAPI document says nothing. */
export function unlisted<S extends FastifySchema>(operation: Operation<S>): Operation<S> {
  return { ...operation, schema: { ...operation.schema, hide: true } }
}
