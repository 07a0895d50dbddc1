// An operation: what it may be asked, who may ask it, and the function that answers. routes/ give it method and path.
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
import type { ApiKeyId } from '../../domain/ids.ts'
import type { Success } from '../response/envelope.ts'
import type { RpcBody } from '../response/rpc-body.ts'
import type { Principal } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    principal: Principal | undefined
    /** Of the key that came with it, also of one that is refused: set where it is one of ours. */
    keyId: ApiKeyId | undefined
  }
  interface FastifyContextConfig {
    scope?: Scope
    operationId?: string
  }
}

export type OperationRequest<S extends FastifySchema> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  S,
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

export interface Operation<S extends FastifySchema = FastifySchema> {
  /** Absent: open to everybody. */
  readonly scope?: Scope
  /** Absent: the server's. */
  readonly bodyBytesMax?: number
  /** Its command notes in the audit log what it changes, in the same commit. Absent: the door notes that it was done. */
  readonly audited?: 'in its commit'
  readonly schema: S
  /**
   * Text where the schema says so, as of health, an answer of JSON-RPC to what speaks that, and the reply where a stream
   * was sent; everything else is an envelope.
   */
  readonly answer: (
    request: OperationRequest<S>,
    reply: OperationReply,
  ) => Promise<Success<unknown> | RpcBody | string | OperationReply>
}

/** Ties the types of `answer` to the schema that validates. */
export function operation<const S extends FastifySchema>(declared: Operation<S>): Operation<S> {
  return declared
}
