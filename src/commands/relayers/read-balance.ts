// Reads a relayer's balance from its network.
import type { Relayer } from '../../domain/relayer.ts'
import type { Wei } from '../../domain/units.ts'
import { readNodes } from '../read-nodes.ts'
import type { ChainOf } from './read-status.ts'

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readBalance(chainOf: ChainOf, relayer: Relayer): Promise<Wei> {
  return readNodes(relayer, () => chainOf(relayer).balance(relayer.address))
}
