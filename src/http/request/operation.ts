// An operation: its schemas, its scope, and the function that answers. server/routes.ts adds method and path.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify'
import type { Scope } from '../../domain/api-key.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { RpcBody, Success } from '../response/envelope.ts'
import type { Principal } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    principal: Principal | undefined
    /** The id of the request's key, even if the key was refused; unset for an unknown key. */
    keyId: ApiKeyId | undefined
  }
  interface FastifyContextConfig {
    scope?: Scope
    operationId?: string
  }
}

type OperationRequest<P, Q, B, H> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  { params: P; querystring: Q; body: B; headers: H },
  TypeBoxTypeProvider,
  unknown,
  FastifyBaseLogger
>

export type OperationReply = FastifyReply<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression
>

export type OwnHeader =
  | 'Idempotency-Replayed'
  | 'Preference-Applied'
  | 'Relayer-Bulk-Cancellation'
  | 'Relayer-Next-Before'
  | 'Relayer-Total'
  | 'X-Accel-Buffering'

/** Typed by the schemas that validate the parameters, query, body and headers of its request. `mount` adds its tag. */
export interface Operation<P, Q, B, H> extends Omit<FastifySchema, 'params' | 'querystring' | 'body' | 'headers'> {
  readonly operationId: string
  /** The scope that a key needs; absent: open to everyone. */
  readonly scope?: Scope
  /** A key with this scope alone passes too: `answer` refuses what goes beyond it. */
  readonly lesserScope?: Scope
  /** The limit of the body; absent: the server's. */
  readonly bodyBytesMax?: number
  /** The operation's own error codes. The OpenAPI document adds those that every operation has; a test compares both with answers. */
  readonly refusals?: readonly ErrorCode[]
  /** Headers of its success beside those of every answer. */
  readonly answerHeaders?: readonly OwnHeader[]
  /** The command writes the audit record in the commit of its change. Absent: `mount` writes one after the operation. */
  readonly audited?: 'in its commit'
  readonly params?: P
  readonly querystring?: Q
  readonly body?: B
  readonly headers?: H
  /**
   * Usually an envelope. Text where the schema says so, as for health; JSON-RPC for clients that speak it; the reply itself
   * after a stream.
   */
  readonly answer: (
    request: OperationRequest<P, Q, B, H>,
    reply: OperationReply,
  ) => Promise<Success<unknown> | RpcBody | string | OperationReply>
}

/** The member that mount adds to the schema of a route, for the OpenAPI document. */
export const documentedKey = 'x-documented'

export interface DocumentedOperation {
  readonly scope: Scope | undefined
  readonly refusals: readonly ErrorCode[]
  readonly answerHeaders: readonly OwnHeader[]
}

/** Types `answer` by the schemas that validate. */
export function operation<P, Q, B, H>(declared: Operation<P, Q, B, H>): Operation<P, Q, B, H> {
  return declared
}
