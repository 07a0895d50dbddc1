// Parses and presents an access list (EIP-2930).
import { type Static, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { type Hex, lowerHex } from '../../domain/ids.ts'
import type { AccessList } from '../../domain/transaction.ts'
import { accessListEntriesMax, accessListKeysMax } from '../limits.ts'
import { addressSchema, parseAddress } from '../request/parse-values.ts'
import { stated } from '../request/stated.ts'
import { closed } from '../response/forms.ts'

const wanted = `an array of at most ${accessListEntriesMax} objects of address and storage_keys (EIP-2930)`

export const accessListSchema = Type.Array(
  closed('AccessListEntry', { description: 'an object of address and storage_keys' })({
    address: addressSchema('an address: 0x and 40 hex digits, in one case or with its EIP-55 checksum'),
    storage_keys: Type.Array(
      Type.Unsafe<Hex>(
        Type.String({
          pattern: '^0x[0-9a-fA-F]{64}$',
          description: 'a storage key: 0x and 64 hex digits; fill a shorter one with zeros on the left',
        }),
      ),
      { maxItems: accessListKeysMax, description: `at most ${accessListKeysMax} storage keys, as an array` },
    ),
  }),
  {
    maxItems: accessListEntriesMax,
    description: wanted,
    ...stated({ description: `${wanted}, with at most ${accessListKeysMax} storage keys in all of them` }),
  },
)

/** Throws INVALID_REQUEST, naming the entry and the fix. */
export function parseAccessList(list: Static<typeof accessListSchema>): AccessList {
  const keys = list.reduce((sum, entry) => sum + entry.storage_keys.length, 0)
  if (keys > accessListKeysMax) {
    throw new RescindError(
      'INVALID_REQUEST',
      `access_list: holds ${keys} storage keys; send at most ${accessListKeysMax}, those that the call reads first`,
    )
  }
  return list.map((entry, index) => ({
    address: parseAddress(`access_list[${index}].address`, entry.address),
    storageKeys: entry.storage_keys.map(lowerHex),
  }))
}

export function presentAccessList(list: AccessList): Static<typeof accessListSchema> {
  return list.map(({ address, storageKeys }) => ({ address, storage_keys: [...storageKeys] }))
}
