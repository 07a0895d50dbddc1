// Compares the access lists of two transactions.
import type { AccessList } from './transaction.ts'

/** An absent list equals an empty one. Capital letters in an address are only a checksum. */
export function isSameAccessList(one: AccessList = [], other: AccessList = []): boolean {
  return canonical(one) === canonical(other)
}

function canonical(list: AccessList): string {
  return list
    .map(({ address, storageKeys }) => [address, ...storageKeys].join())
    .join(';')
    .toLowerCase()
}
