// Puts an operation behind a method and a path: the door first, then the operation.
import type { FastifyInstance, FastifySchema } from 'fastify'
import { admit, type Door } from '../admit.ts'
import type { Operation } from '../operation.ts'

export interface Mounting {
  readonly app: FastifyInstance
  readonly door: Door
}

export const basePath = '/api/v1'

export function mount<S extends FastifySchema>(
  { app, door }: Mounting,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { scope, bodyBytesMax, schema, answer }: Operation<S>,
): void {
  app.route({
    method,
    url: `${basePath}${path}`,
    schema,
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    ...(scope && { onRequest: (request, reply) => admit(door, scope, request, reply) }),
    handler: answer as unknown as (request: unknown, reply: unknown) => Promise<unknown>,
  })
}

/** The same operation under a second path, of which the OpenAPI document says nothing. */
export function unlisted<S extends FastifySchema>(operation: Operation<S>): Operation<S> {
  return { ...operation, schema: { ...operation.schema, hide: true } }
}
