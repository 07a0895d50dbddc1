// Path parameters, which the router has decoded exactly once, and headers.
import { Type } from 'typebox'
import { idempotencyKeyCharsMax } from './limits.ts'

const relayerId = Type.String({ description: 'the id of a relayer', examples: ['local'] })

export const relayerParameters = Type.Object({ relayer_id: relayerId })

export const transactionParameters = Type.Object({
  relayer_id: relayerId,
  transaction_id: Type.String({
    description: 'the id of a transaction',
    examples: ['019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84'],
  }),
})

export const apiKeyParameters = Type.Object({
  api_key_id: Type.String({ description: 'the id of an API key', examples: ['019aa5c2-91b0-7e0f-8d11-f0a4c3b7e625'] }),
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

/** Of every operation that sends. */
export const sendHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^[\\x21-\\x7e]{1,${idempotencyKeyCharsMax}}$`,
      description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters without spaces, such as a UUID; under it the same request answers the same transaction for ever`,
    }),
  ),
})
