// False heads.
import { answer } from '../chain/node.ts'
import type { Lie } from './lie.ts'

/** Finality tags ahead: the head is called safe and finalized as soon as there is one. */
export const tagsAhead: Lie = (world, node, call, honest) => {
  const [place, isFull] = call.params
  const isOfTag = call.method === 'eth_getBlockByNumber' && (place === 'safe' || place === 'finalized')
  return isOfTag ? answer(world, node, { ...call, params: ['latest', isFull] }) : honest
}
