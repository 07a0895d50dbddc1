// The price of a relayer's network, as last read. It calls no node.

import { RescindError } from '../../domain/errors.ts'
import type { NetworkPrice } from '../../domain/fees.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { ChainOf } from './read-status.ts'

/** Undefined before this process has observed the network, and where its file has no such network. */
export function networkPrice(chainOf: ChainOf, relayer: Relayer): NetworkPrice | undefined {
  try {
    return chainOf(relayer).price()
  } catch (error) {
    if (error instanceof RescindError && error.code === 'NODE_UNAVAILABLE') return undefined
    throw error
  }
}
