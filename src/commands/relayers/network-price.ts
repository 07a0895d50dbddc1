// The price of a relayer's network, as last read. It calls no node.

import type { Chain } from '../../chain/chain.ts'
import { RescindError } from '../../domain/errors.ts'
import type { Market, NetworkPrice } from '../../domain/fees.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { ChainOf } from './read-status.ts'

/** Undefined before this process has observed the network, and where its file has no such network. */
export function networkPrice(chainOf: ChainOf, relayer: Relayer): NetworkPrice | undefined {
  return lastReading(chainOf, relayer, (chain) => chain.price())
}

/** The market of that price, likewise. */
export function networkMarket(chainOf: ChainOf, relayer: Relayer): Market | undefined {
  return lastReading(chainOf, relayer, (chain) => chain.market())
}

function lastReading<T>(chainOf: ChainOf, relayer: Relayer, read: (chain: Chain) => T | undefined): T | undefined {
  try {
    return read(chainOf(relayer))
  } catch (error) {
    if (error instanceof RescindError && error.code === 'NODE_UNAVAILABLE') return undefined
    throw error
  }
}
