// Signs messages, typed data (EIP-712) and transactions by the key of a relayer (POST). Nothing is stored or broadcast.
import { Type } from 'typebox'
import { type SignerOf, signStatement } from '../../commands/relayers/sign.ts'
import { RescindError } from '../../domain/errors.ts'
import type { Hash, Hex } from '../../domain/ids.ts'
import type { Reads, Store } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'
import { presentSignature, signatureSchema } from '../transactions/present-transaction.ts'

const rawSchema = Type.Object(
  { raw: Type.Unsafe<Hex>(Type.String({ pattern: '^0x(?:[0-9a-fA-F]{2})*$', examples: ['0xdeadbeef'] })) },
  { additionalProperties: false },
)

const messageSchema = closed('MessageRequest', { examples: [{ message: 'hello' }] })({
  message: Type.Union([Type.String(), rawSchema], {
    description: 'a text, or bytes as {"raw": "0xdeadbeef"}',
    ...stated({ description: 'a text of Unicode without half surrogate pairs, or bytes as {"raw": "0xdeadbeef"}' }),
    examples: ['hello'],
  }),
})

export function sign(store: Store, signerOf: SignerOf) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_PAUSED', 'POLICY_VIOLATION', 'SIGNER_UNAVAILABLE'],
    operationId: 'signMessage',
    summary: 'Sign a message (EIP-191)',
    description:
      'Signs as `personal_sign` does: the prefix, the length in bytes, and the bytes, in UTF-8 for a text. A text that looks like hex is signed as a text; send bytes as `{"raw": "0x…"}`.',
    params: relayerParameters,
    body: messageSchema,
    response: answers(signatureSchema),
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

const hash = (of: string) =>
  Type.String({
    pattern: '^(0x)?[0-9a-fA-F]{64}$',
    description: `32 bytes in hex: ${of}`,
    examples: [`0x${'1f'.repeat(32)}`],
  })

const typedDataSchema = closed('TypedDataRequest', {
  examples: [{ domain_separator: `0x${'1f'.repeat(32)}`, hash_struct_message: `0x${'2e'.repeat(32)}` }],
})({
  domain_separator: hash('hashStruct of the domain'),
  hash_struct_message: hash('hashStruct of the message'),
})

export function signTypedData(store: Store, signerOf: SignerOf) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_PAUSED', 'POLICY_VIOLATION', 'SIGNER_UNAVAILABLE'],
    operationId: 'signTypedData',
    summary: 'Sign typed data (EIP-712)',
    description:
      'Signs `keccak256(0x1901 ‖ domain_separator ‖ hash_struct_message)`. Hashes do not show their content: a permit to transfer tokens looks like a greeting. So give the scope `sign` only to keys that may spend.',
    params: relayerParameters,
    body: typedDataSchema,
    response: answers(signatureSchema),
    async answer({ params, body }) {
      const signature = await signStatement(store, signerOf, params.relayer_id, {
        kind: 'typedData',
        domainSeparator: withPrefix(body.domain_separator),
        structHash: withPrefix(body.hash_struct_message),
      })
      return success(presentSignature({ signature }))
    },
  })
}

function withPrefix(hex: string): Hash {
  return `0x${hex.replace(/^0x/, '')}`
}

// Refuses to sign a transaction without sending it (POST): the relayer would not notice that its nonce is used.
export function signTransaction(reads: Reads) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'NOT_SUPPORTED'],
    operationId: 'signTransaction',
    summary: 'Sign a transaction without sending it: not supported',
    description:
      'Always refused with `NOT_SUPPORTED`. The holder of the signed bytes could spend a nonce of the relayer, or revive a canceled transaction. Send transactions to `…/transactions` instead.',
    params: relayerParameters,
    response: {},
    async answer({ params }) {
      await foundRelayer(reads, params.relayer_id)
      throw new RescindError(
        'NOT_SUPPORTED',
        'sign-transaction is not supported: the relayer would not notice that the signed bytes spend its nonce; send the transaction with POST …/transactions',
      )
    },
  })
}
