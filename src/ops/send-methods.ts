// The JSON-RPC methods that give a signed transaction to a node: their calls go out in order, and metrics name them.

export const sendMethods: readonly string[] = [
  'eth_sendRawTransaction',
  'eth_sendRawTransactionConditional',
  'eth_sendRawTransactionSync',
]
