// Runs a client's read of the relayer's chain, through the relayer's nodes.

import type { Chain, ForwardedAnswer } from '../../chain/chain.ts'
import { relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { type RpcRefusal, refuseCall } from '../../domain/rpc.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'

/** Throws RELAYER_NOT_FOUND, NODE_UNAVAILABLE. A refused method is a JSON-RPC error, and so an answer. */
export async function rpc(
  reads: Reads,
  chainOf: (relayer: Relayer) => Chain,
  relayerId: RelayerId,
  { method, params, bytesMax }: { readonly method: string; readonly params: unknown; readonly bytesMax: number },
): Promise<ForwardedAnswer | { readonly refused: RpcRefusal }> {
  const relayer = await reads.relayer(relayerId)
  if (!relayer) throw relayerNotFound(relayerId)
  const refused = refuseCall(method, params)
  if (refused) return { refused }
  return readNodes(
    relayer,
    // `refuseCall` accepts lists only.
    () => chainOf(relayer).forward({ method, params: params as readonly unknown[], bytesMax }),
    ({ message }) => ` ${method}: ${message}; request less, or try again later`,
  )
}
