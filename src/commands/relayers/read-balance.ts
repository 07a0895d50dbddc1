// A relayer's balance, asked of its network.
import type { Relayer } from '../../domain/relayer.ts'
import type { Wei } from '../../domain/units.ts'
import { askNodes } from '../ask-nodes.ts'
import type { ChainOf } from './read-status.ts'

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readBalance(chainOf: ChainOf, relayer: Relayer): Promise<Wei> {
  return askNodes(relayer, () => chainOf(relayer).balance(relayer.address))
}
