// The JSON-RPC methods that give a signed transaction to a node: their calls go out in order, and metrics name them.

/** A node may answer it only once the transaction is mined (EIP-7966). */
export const waitingSend = 'eth_sendRawTransactionSync'

export const sendMethods: readonly string[] = [
  'eth_sendRawTransaction',
  'eth_sendRawTransactionConditional',
  waitingSend,
]
