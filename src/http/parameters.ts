// Path parameters, which the router has decoded exactly once, and headers.
import { Type } from 'typebox'
import { idempotencyKeyCharsMax } from './limits.ts'

export const relayerParameters = Type.Object({ relayer_id: Type.String({ description: 'the id of a relayer' }) })

export const transactionParameters = Type.Object({
  relayer_id: Type.String({ description: 'the id of a relayer' }),
  transaction_id: Type.String({ description: 'the id of a transaction' }),
})

export const nonceParameters = Type.Object({
  relayer_id: Type.String({ description: 'the id of a relayer' }),
  nonce: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'a nonce as a decimal integer, 0 or more',
  }),
})

/** Of every operation that sends. */
export const sendHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^[\\x21-\\x7e]{1,${idempotencyKeyCharsMax}}$`,
      description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters without spaces, such as a UUID; under it the same request answers the same transaction for ever`,
    }),
  ),
})
