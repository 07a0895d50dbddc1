// The call that reads a block, and its use by an endpoint that is not verified yet. read-block.ts has the others.
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Call, SendCall } from './call.ts'
import { toHead, toHex } from './decode.ts'

export const blockMethod = 'eth_getBlockByNumber'

export function blockCall(place: string, isWhole: boolean): Call {
  return { method: blockMethod, params: [place, isWhole] }
}

/** A block as a call's parameter. */
export function placeOf(block: BlockNumber | 'latest' | 'pending'): string {
  return typeof block === 'string' ? block : toHex(block)
}

/** The hash at this height; undefined where the node shows no such block. */
export async function readHashAt(call: SendCall, number: BlockNumber): Promise<Hash | undefined> {
  const answer = await call(blockCall(toHex(number), false))
  const head = answer.kind === 'value' ? toHead(answer.value) : undefined
  return head?.number === number ? head.hash : undefined
}
