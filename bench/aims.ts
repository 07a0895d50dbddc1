// The aims of JSON-RPC calls per confirmed transaction, one for each row of docs/benchmarks.md that has one; a test compares both.

/** By the row's words there: at most so many calls. */
export const callAims = {
  'JSON-RPC calls per confirmed transaction, 1,000 over 50 blocks, one relayer, one endpoint': 1.45,
  '… three endpoints, with two witnesses of each block': 1.75,
  '… three endpoints without `eth_getBlockReceipts`': 4.3,
  '… three endpoints, 12 confirmations, one endpoint a block behind': 1.7,
  '… one endpoint, if the service estimates the gas limit': 2.45,
  '… one endpoint, five relayers': 2.2,
  '… 50 relayers, one after the other, 20 a block': 3.82,
  '… 500 relayers, one after the other, 20 a block': 3.82,
  '… 500 relayers, their transactions all at once': 2.52,
  '… 500 relayers with two transactions each, one in flight and one in the queue, counted after a `kill -9`; half of the sends came before it': 2.5,
} as const

export type CallRow = keyof typeof callAims

/** As a figure shows it. */
export function callAim(row: CallRow): string {
  return `${callAims[row].toFixed(2)} or less`
}
