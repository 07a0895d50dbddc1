// A client's read of the relayer's chain, through the relayer's nodes.

import type { Chain, ReadAnswer } from '../../chain/chain.ts'
import { relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { type RpcRefusal, refuseCall } from '../../domain/rpc.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'

/** Throws RELAYER_NOT_FOUND, NODE_UNAVAILABLE. A method that is not passed on is an error of JSON-RPC, and an answer. */
export async function rpc(
  reads: Reads,
  chainOf: (relayer: Relayer) => Chain,
  relayerId: RelayerId,
  { method, params }: { readonly method: string; readonly params: unknown },
): Promise<ReadAnswer | { readonly refused: RpcRefusal }> {
  const relayer = await reads.relayer(relayerId)
  if (!relayer) throw relayerNotFound(relayerId)
  const refused = refuseCall(method, params)
  if (refused) return { refused }
  return readNodes(
    relayer,
    // `refuseCall` takes lists only.
    () => chainOf(relayer).read({ method, params: params as readonly unknown[] }),
    ({ message }) => ` ${method}: ${message}; ask for less, or try again later`,
  )
}
