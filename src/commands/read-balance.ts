// A relayer's balance, asked of its network.
import type { Chain } from '../chain/chain.ts'
import { ChainUnavailable } from '../chain/chain.ts'
import { RescindError } from '../domain/errors.ts'
import type { NetworkName } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Wei } from '../domain/units.ts'

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readBalance(chainOf: (network: NetworkName) => Chain, relayer: Relayer): Promise<Wei> {
  try {
    return await chainOf(relayer.network).balance(relayer.address)
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause
    throw new RescindError('NODE_UNAVAILABLE', `no node of network "${relayer.network}" answers; try again later`, {
      cause,
    })
  }
}
