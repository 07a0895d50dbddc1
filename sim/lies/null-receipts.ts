// No receipt, for ever. Bodies and counts are true.
import type { Lie } from './lie.ts'

export const nullReceipts: Lie = (_world, _node, { method }, honest) =>
  method === 'eth_getTransactionReceipt' && honest.result ? { ...honest, result: null } : honest
