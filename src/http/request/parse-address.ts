// Parses an address.
import * as EthereumAddress from 'ox/Address'
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import type { Address } from '../../domain/ids.ts'
import { forms } from './stated.ts'

/** `parseAddress` checks the checksum. */
export const addressSchema = (description: string) =>
  Type.Unsafe<Address>(Type.String({ ...forms.address, description }))

/** Mixed case is a checksum (EIP-55) and must be right: a typo would lose the money. Throws INVALID_REQUEST. */
export function parseAddress(field: string, text: Address): Address {
  const checksummed = EthereumAddress.checksum(text)
  const digits = text.slice(2)
  if (text !== checksummed && digits !== digits.toLowerCase() && digits !== digits.toUpperCase()) {
    const wanted = 'right by its EIP-55 checksum; check it for a typo, or send it in lower case'
    throw new RescindError('INVALID_REQUEST', `${field}: "${text}" is not ${wanted}`)
  }
  return checksummed
}
