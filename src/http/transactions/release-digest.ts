// The digest in a release: of the payload that the releaser compared.
import { Type } from 'typebox'
import { type Hash, lowerHex } from '../../domain/ids.ts'
import { some } from '../response/forms.ts'

export const releaseDigest = Type.Unsafe<Hash>(
  Type.String({
    pattern: '^0x[0-9a-fA-F]{64}$',
    description: 'the payload_digest of the hold, which four eyes demand: 0x and 64 hex digits',
    examples: [some.hash],
  }),
)

export function digestIn({ payload_digest: digest }: { payload_digest?: Hash }): { readonly digest?: Hash } {
  return digest === undefined ? {} : { digest: lowerHex(digest) }
}
