// Signs typed data by its two hashes, EIP-712 (POST).
import { Type } from 'typebox'
import { type SignerOf, signStatement } from '../../commands/relayers/sign.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Store } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { presentSignature, signatureSchema } from '../transactions/present-transaction.ts'

const hash = (of: string) =>
  Type.String({
    pattern: '^(0x)?[0-9a-fA-F]{64}$',
    description: `32 bytes in hex: ${of}`,
    examples: [`0x${'1f'.repeat(32)}`],
  })

const bodySchema = Type.Object(
  {
    domain_separator: hash('hashStruct of the domain'),
    hash_struct_message: hash('hashStruct of the message'),
  },
  {
    title: 'TypedDataRequest',
    additionalProperties: false,
    examples: [{ domain_separator: `0x${'1f'.repeat(32)}`, hash_struct_message: `0x${'2e'.repeat(32)}` }],
  },
)

export function signTypedData(store: Store, signerOf: SignerOf) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_PAUSED', 'POLICY_VIOLATION', 'SIGNER_UNAVAILABLE'],
    schema: {
      operationId: 'signTypedData',
      summary: 'Sign typed data (EIP-712)',
      description:
        'Signs `keccak256(0x1901 ‖ domain_separator ‖ hash_struct_message)`. Hashes do not show their content: a permit to transfer tokens looks like a greeting. So give the scope `sign` only to keys that may spend.',
      tags: ['signing'],
      params: relayerParameters,
      body: bodySchema,
      response: answers(signatureSchema),
    },
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
