// Identifiers and chain primitives. Brands prevent a relayer's id in the place of a transaction's.
import type { Address, Hash, Hex } from 'viem'

export type { Address, Hash, Hex }

declare const brand: unique symbol
type Brand<T, Name extends string> = T & { readonly [brand]: Name }

export type RelayerId = Brand<string, 'RelayerId'>
export type TransactionId = Brand<string, 'TransactionId'>
export type BulkId = Brand<string, 'BulkId'>
export type ApiKeyId = Brand<string, 'ApiKeyId'>
export type NetworkName = Brand<string, 'NetworkName'>

export type NonEmpty<T> = readonly [T, ...T[]]

export function lowerHex(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`
}

export function mapNonEmpty<T, R>([first, ...rest]: NonEmpty<T>, change: (item: T) => R): NonEmpty<R> {
  return [change(first), ...rest.map((item) => change(item))]
}

export function isNonEmpty<T>(items: readonly T[]): items is NonEmpty<T> {
  return items.length > 0
}
