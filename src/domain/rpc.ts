// Decides which JSON-RPC calls of a client a node gets: calls that read the chain, and none that send, sign, or keep or
// inspect state of the node.

/** Methods of the Ethereum execution API, and others that libraries call. */
const passedOn: ReadonlySet<string> = new Set([
  ...['eth_blobBaseFee', 'eth_blockNumber', 'eth_call', 'eth_chainId', 'eth_createAccessList', 'eth_estimateGas'],
  ...['eth_feeHistory', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_syncing'],
  ...['eth_getBalance', 'eth_getCode', 'eth_getProof', 'eth_getStorageAt', 'eth_getTransactionCount'],
  ...['eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_getLogs'],
  ...['eth_getBlockTransactionCountByHash', 'eth_getBlockTransactionCountByNumber'],
  ...['eth_getTransactionByBlockHashAndIndex', 'eth_getTransactionByBlockNumberAndIndex'],
  ...['eth_getTransactionByHash', 'eth_getTransactionReceipt'],
  ...['eth_getUncleCountByBlockHash', 'eth_getUncleCountByBlockNumber'],
  ...['net_version', 'web3_clientVersion'],
])

export interface RpcRefusal {
  /** JSON-RPC 2.0, section 5.1. */
  readonly code: -32601 | -32602
  readonly message: string
}

/** The deepest params, far beyond any method's need: a filter of logs with topics nests four deep, state overrides five. */
const depthMax = 16

/** Undefined if the call may be passed on. */
export function refuseCall(method: string, params: unknown): RpcRefusal | undefined {
  if (!passedOn.has(method)) return { code: -32601, message: `${shortened(method)} ${reasonAgainst(method)}` }
  if (!Array.isArray(params)) return { code: -32602, message: 'params: is not a list; send a list, or none' }
  if (isDeeperThan(params, depthMax)) {
    return { code: -32602, message: `params: is nested more than ${depthMax} deep; send what the method takes` }
  }
  return undefined
}

function reasonAgainst(method: string): string {
  if (/^eth_send|^(personal|wallet|account)_|^eth_(sign|accounts)/.test(method)) {
    return "is refused: the account and its nonces are the relayer's; send with POST …/transactions, sign with …/sign or …/sign-typed-data"
  }
  if (/^eth_(new|uninstall|getFilter|subscribe|unsubscribe)/.test(method)) {
    return 'is refused: one of several nodes answers each call, and none of them keeps state for a client; use eth_getLogs'
  }
  return 'is not passed on: only methods that read the chain are; docs/api.md lists them'
}

function shortened(method: string): string {
  return method.length > 64 ? `${method.slice(0, 64)}…` : method
}

/** Level by level: deep nesting would overflow a recursion, too. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return false
  }
  return true
}
