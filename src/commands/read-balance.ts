// A relayer's balance, asked of its network.
import { ChainUnavailable } from '../chain/chain.ts'
import { RescindError } from '../domain/errors.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Wei } from '../domain/units.ts'
import type { ChainOf } from './read-status.ts'

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readBalance(chainOf: ChainOf, relayer: Relayer): Promise<Wei> {
  try {
    return await chainOf(relayer).balance(relayer.address)
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause
    throw new RescindError('NODE_UNAVAILABLE', `no node of network "${relayer.network}" answers; try again later`, {
      cause,
    })
  }
}
