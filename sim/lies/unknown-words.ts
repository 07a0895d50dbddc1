// Refusals in words that no table has, or under a code that says something else. The node keeps the bytes all the same.
import type { Lie } from './lie.ts'

const refusals = [
  { code: -32000, message: 'policy 7: this transfer is on hold' },
  { code: -32005, message: 'the sequencer has paused intake' },
  { code: -32603, message: 'internal error' },
  { code: 1, message: '' },
]

export const unknownWords: Lie = (_world, _node, { method }, honest, dice) =>
  method === 'eth_sendRawTransaction' ? { jsonrpc: '2.0', id: honest.id, error: dice.pick(refusals) } : honest
