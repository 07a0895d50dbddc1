// Signs a message, EIP-191 (POST).
import { Type } from 'typebox'
import { type SignerOf, signStatement } from '../../commands/relayers/sign.ts'
import type { Hex } from '../../domain/ids.ts'
import type { Store } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import { answers, success } from '../response/envelope.ts'
import { presentSignature, signatureSchema } from '../transactions/present-transaction.ts'

const rawSchema = Type.Object(
  { raw: Type.Unsafe<Hex>(Type.String({ pattern: '^0x(?:[0-9a-fA-F]{2})*$', examples: ['0xdeadbeef'] })) },
  { additionalProperties: false },
)

const bodySchema = Type.Object(
  {
    message: Type.Union([Type.String(), rawSchema], {
      description: 'a text, or bytes as {"raw": "0xdeadbeef"}',
      ...stated({ description: 'a text of Unicode without half surrogate pairs, or bytes as {"raw": "0xdeadbeef"}' }),
      examples: ['hello'],
    }),
  },
  { title: 'MessageRequest', additionalProperties: false, examples: [{ message: 'hello' }] },
)

export function sign(store: Store, signerOf: SignerOf) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_PAUSED', 'POLICY_VIOLATION', 'SIGNER_UNAVAILABLE'],
    schema: {
      operationId: 'signMessage',
      summary: 'Sign a message (EIP-191)',
      description:
        'Signs as `personal_sign` does: the prefix, the length in bytes, and the bytes, in UTF-8 for a text. A text that looks like hex is signed as a text; send bytes as `{"raw": "0x…"}`.',
      tags: ['signing'],
      params: relayerParameters,
      body: bodySchema,
      response: answers(signatureSchema),
    },
    async answer({ params, body }) {
      const bytes = bytesOf(body.message)
      const signature = await signStatement(store, signerOf, params.relayer_id, { kind: 'message', bytes })
      return success(presentSignature({ signature }))
    },
  })
}

function bytesOf(message: string | { raw: Hex }): Hex {
  if (typeof message === 'object') return message.raw
  // Half of a surrogate pair has no UTF-8, so the signature would be for another text.
  if (!message.isWellFormed()) throw invalid('message', message, 'Unicode; send it as bytes, {"raw": "0x…"}')
  return `0x${Buffer.from(message, 'utf8').toString('hex')}`
}
