// Reads from an endpoint what shows which chain it serves: the chain id, and the block at the height of the anchor.
import type { Anchor } from '../../domain/anchor.ts'
import type { Hash } from '../../domain/ids.ts'
import { readHashAt } from './block-call.ts'
import { describeAnswer, type SendCall } from './call.ts'
import { toNumber } from './decode.ts'

/** `showsAnchor`: false where the network has an anchor, and the endpoint shows no block there: it may be pruned. */
export type Examined =
  | { readonly kind: 'sameChain'; readonly showsAnchor: boolean }
  | { readonly kind: 'noAnswer'; readonly message: string }
  | { readonly kind: 'otherId'; readonly served: number }
  | { readonly kind: 'otherBlock'; readonly shown: Hash; readonly anchor: Anchor }

/**
 * Examines an endpoint: only another chain id or another hash is a denial. The calls leave in one request, with those of
 * `alongside`.
 */
export async function examine(
  call: SendCall,
  chainId: number,
  anchor: Anchor | undefined,
  alongside: () => void,
): Promise<Examined> {
  const calls = [call({ method: 'eth_chainId', params: [] }), anchor && readHashAt(call, anchor.number)] as const
  alongside()
  const [id, shown] = await Promise.all(calls)
  const served = id.kind === 'value' ? toNumber(id.value) : undefined
  if (served === undefined) return { kind: 'noAnswer', message: describeAnswer(id) }
  if (served !== chainId) return { kind: 'otherId', served }
  if (anchor && shown !== undefined && shown !== anchor.hash) return { kind: 'otherBlock', shown, anchor }
  return { kind: 'sameChain', showsAnchor: !anchor || shown !== undefined }
}
