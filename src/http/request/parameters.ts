// Path parameters, which the router decodes exactly once, and headers.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiKeyId, BulkId, RelayerId, TransactionId } from '../../domain/ids.ts'
import { idempotencyKeyCharsMax, nameCharsMax, noteCharsMax } from '../limits.ts'
import { optionalString, some, such } from '../response/forms.ts'

const relayerId = Type.Unsafe<RelayerId>(such('local', 'the id of a relayer'))

export const relayerParameters = Type.Object({ relayer_id: relayerId })

export const transactionParameters = Type.Object({
  relayer_id: relayerId,
  transaction_id: Type.Unsafe<TransactionId>(such(some.transactionId, 'the id of a transaction')),
})

export const bulkParameters = Type.Object({
  bulk_cancellation_id: Type.Unsafe<BulkId>(such(some.bulkId, 'the id of a bulk cancellation')),
})

export const apiKeyParameters = Type.Object({
  api_key_id: Type.Unsafe<ApiKeyId>(such(some.apiKeyId, 'the id of an API key')),
})

const shownId = such('alerts', 'the id of a notification')

export const deadLettersParameters = Type.Object({ notification_id: shownId })

export const deadLetterParameters = Type.Object({
  notification_id: shownId,
  event_id: Type.String({
    pattern: '^[0-9]{1,15}(-[0-9]{1,15})?$',
    description: `the id of an event, such as "${some.eventId}"`,
    examples: [some.eventId],
  }),
})

export const nonceParameters = Type.Object({
  relayer_id: relayerId,
  nonce: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'a nonce as a decimal integer, 0 or more',
    examples: [0],
  }),
})

export const signerParameters = Type.Object({ signer_id: such('dev', 'the id of a signer') })

export const notificationParameters = Type.Object({ notification_id: such('hook', 'the id of a notification') })

export const networkParameters = Type.Object({
  network_id: such('evm:localhost', 'the id of a network, such as evm:sepolia'),
})

/** The parameters of the path as they arrived, even if no operation has validated them. */
export function pathParametersOf({ params }: Pick<FastifyRequest, 'params'>): PathParameters {
  // The router returns an object of strings, or nothing; a parameter's name says which id it is.
  return (params ?? {}) as PathParameters
}

interface PathParameters {
  readonly relayer_id?: RelayerId
  readonly transaction_id?: TransactionId
  readonly [other: string]: string | undefined
}

/** The id that a client may choose for a new entity. */
export const newId = optionalString({
  pattern: '^[a-zA-Z0-9_-]{1,36}$',
  description: 'at most 36 letters, digits, dashes and underscores; without it the service creates one',
})

/** PostgreSQL can't store U+0000 in a text, so it is refused on SQLite too. */
const withoutNul = '^[^\\u0000]*$'

export const nameInBody = Type.String({
  minLength: 1,
  maxLength: nameCharsMax,
  pattern: withoutNul,
  description: `a text of 1 to ${nameCharsMax} characters, none of them U+0000`,
})

/** A note that an operator leaves for others. */
export const noteInBody = Type.String({
  maxLength: noteCharsMax,
  pattern: withoutNul,
  description: `a text of at most ${noteCharsMax} characters, none of them U+0000`,
})

export const idempotencyKey = 'idempotency-key'

/** The headers of every operation that sends. */
export const sendHeaders = Type.Object({
  [idempotencyKey]: optionalString({
    pattern: `^[\\x21-\\x7e]{1,${idempotencyKeyCharsMax}}$`,
    description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters without spaces, such as a UUID; a repeated request with the same key returns the same transaction for ever`,
  }),
})
