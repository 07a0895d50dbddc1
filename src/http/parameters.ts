// Path parameters. The router has decoded them, exactly once.
import { Type } from 'typebox'

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
