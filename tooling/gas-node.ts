// A chain of its own that answers as geth does on both sides of Amsterdam, and executes plain transactions by its rules: no node that
// tests can start has them, and anvil refuses limits under 21,000. A test changes the rules at any block, and takes blocks back.
import { keccak256, stringToHex } from 'viem'
import {
  executionOf,
  floorOf,
  intrinsicOf,
  type NodeRules,
  osakaRules,
  readSent,
  refusalOf,
  type SentTransaction,
} from './gas-rules.ts'
import { hex } from './ledger.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from './rpc-server.ts'

export { amsterdamRules, osakaRules } from './gas-rules.ts'

interface MinedTransaction extends SentTransaction {
  readonly gasUsed: number
  readonly succeeded: boolean
}

interface Block {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
  readonly showsFork: boolean
  readonly mined: readonly MinedTransaction[]
  /** Before it. */
  readonly before: { readonly nonces: ReadonlyMap<string, number>; readonly balances: ReadonlyMap<string, bigint> }
}

export interface GasNode extends AsyncDisposable {
  readonly url: string
  /** From the next block on, and for all reads from now on. */
  fork(rules: NodeRules): void
  timestamp(): number
  /** Done as soon as it is called. */
  mine(blocks?: number): Promise<void>
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  /** Takes so many blocks back; their transactions return to the pool. */
  reorganize(blocks: number): void
  create(address: string, balance?: bigint): void
  balance(address: string): bigint
  minedOf(hash: string): MinedTransaction | undefined
  all(): readonly MinedTransaction[]
  poolSize(): number
  refuse(methods: readonly string[]): void
  /** Every eth_call passes, whatever its gas. */
  answerCalls(): void
  /** As reth did: an estimate without `gas` is refused, as if it were the payload's. */
  refuseOwnChoice(): void
  hold(method: string, ms: number): void
  /** Of the last estimate. */
  lastGas(): number | undefined
  reset(): void
  stop(): Promise<void>
}

const baseFee = 1_000_000_000n
const funds = 10n ** 24n
const blockGas = 60_000_000
const notFound = { error: { code: -32601, message: 'the method does not exist' } } as const

interface State {
  rules: NodeRules
  showsFork: boolean
  blocks: Block[]
  nonces: Map<string, number>
  balances: Map<string, bigint>
  pool: SentTransaction[]
  refused: readonly string[]
  passes: boolean
  wantsGas: boolean
  held: Map<string, number>
  lastGas: number | undefined
  made: number
}

function fresh(made = 0): State {
  const state: State = {
    ...{ rules: osakaRules, showsFork: false, blocks: [] },
    ...{ nonces: new Map(), balances: new Map(), pool: [], refused: [], passes: false, wantsGas: false },
    ...{ held: new Map(), lastGas: undefined, made },
  }
  for (let block = 0; block < 3; block++) mineOne(state)
  return state
}

function headOf({ blocks }: State): Block {
  const head = blocks.at(-1)
  if (!head) throw new Error('a chain has a block')
  return head
}

/** Accounts of tests have funds. `create` and transfers make others. */
function balanceOf({ balances }: State, address: string): bigint {
  return balances.get(address) ?? 0n
}

function mineOne(state: State): void {
  const parent = state.blocks.at(-1)
  const before = { nonces: new Map(state.nonces), balances: new Map(state.balances) }
  const mined: MinedTransaction[] = []
  const ordered = [...state.pool].sort((one, other) => one.nonce - other.nonce)
  for (const each of ordered) {
    if (each.nonce !== (state.nonces.get(each.from) ?? 0) || refusalOf(each, state.rules) !== undefined) continue
    if (each.feeCap < baseFee) continue
    mined.push(execute(state, each))
  }
  state.pool = state.pool.filter(({ nonce, from }) => nonce >= (state.nonces.get(from) ?? 0))
  state.made += 1
  const number = parent ? parent.number + 1 : 0
  state.blocks.push({
    ...{ number, mined, before, showsFork: state.showsFork },
    hash: keccak256(stringToHex(`block ${state.made}`)),
    parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`,
    timestamp: 1_790_000_000 + number,
  })
}

function execute(state: State, sent: SentTransaction): MinedTransaction {
  const { from, to, value, gas } = sent
  const exists = to === undefined || state.balances.has(to)
  const needed = intrinsicOf(sent, state.rules) + executionOf(sent, exists, state.rules)
  const succeeded = gas >= needed
  const gasUsed = succeeded ? Math.max(needed, floorOf(sent, state.rules)) : gas
  state.nonces.set(from, sent.nonce + 1)
  const paid = BigInt(gasUsed) * (baseFee + (sent.tip < sent.feeCap - baseFee ? sent.tip : sent.feeCap - baseFee))
  state.balances.set(from, balanceOf(state, from) - paid - (succeeded ? value : 0n))
  if (succeeded && to !== undefined && value > 0n) state.balances.set(to, balanceOf(state, to) + value)
  return { ...sent, gasUsed, succeeded }
}

function reorganize(state: State, count: number): void {
  const taken = state.blocks.splice(-count)
  const [first] = taken
  if (!first) return
  state.nonces = new Map(first.before.nonces)
  state.balances = new Map(first.before.balances)
  const back = taken.flatMap(({ mined }) => mined.map(({ gasUsed: _, succeeded: __, ...sent }) => sent))
  state.pool = [...back, ...state.pool.filter(({ hash }) => !back.some((each) => each.hash === hash))]
}

async function send(state: State, raw: string): Promise<RpcReply> {
  const sent = await readSent(raw as `0x${string}`)
  const refuse = (message: string) => ({ error: { code: -32000, message } })
  const { from, nonce } = sent
  if (nonce < (state.nonces.get(from) ?? 0)) return refuse('nonce too low: next nonce')
  if (state.pool.some(({ hash }) => hash === sent.hash)) return refuse('already known')
  const refused = refusalOf(sent, state.rules)
  if (refused !== undefined) return refuse(refused)
  if (sent.value + BigInt(sent.gas) * sent.feeCap > balanceOf(state, from)) {
    return refuse('insufficient funds for gas * price + value: balance')
  }
  const rival = state.pool.find((each) => each.from === from && each.nonce === nonce)
  const isCheap = (now: bigint, before: bigint) => now < (before * 110n) / 100n || now <= before
  if (rival && (isCheap(sent.feeCap, rival.feeCap) || isCheap(sent.tip, rival.tip))) {
    return refuse('replacement transaction underpriced')
  }
  state.pool = [...state.pool.filter((each) => each !== rival), sent]
  return { result: sent.hash }
}

interface CallObject {
  readonly from?: string
  readonly to?: string
  readonly value?: string
  readonly data?: string
  readonly gas?: string
}

function formOf({ from = `0x${'0'.repeat(40)}`, to, value = '0x0', data = '0x' }: CallObject) {
  return { from: from.toLowerCase(), to: to?.toLowerCase(), value: BigInt(value), data }
}

/** The code of src/chain/accounts/read-receivers.ts, by which a service reads which accounts exist. */
const existenceCode = /^0x60006025.{66}/

function call(state: State, transaction: CallObject): RpcReply {
  const { data = '0x', to } = transaction
  if (to === undefined && existenceCode.test(data)) {
    const addresses = data.slice(2 + 74).match(/.{40}/g) ?? []
    const words = addresses.map((address) => (state.balances.has(`0x${address}`) ? '0' : '1').padStart(64, '0'))
    return { result: `0x${words.join('')}` }
  }
  const gas = Number(transaction.gas ?? blockGas)
  const needed = intrinsicOf(formOf(transaction), state.rules)
  if (state.passes || gas >= needed) return { result: '0x' }
  return { error: { code: -32000, message: `intrinsic gas too low: have ${gas}, want ${needed}` } }
}

function estimate(state: State, transaction: CallObject): RpcReply {
  const form = formOf(transaction)
  state.lastGas = transaction.gas === undefined ? undefined : Number(transaction.gas)
  if (state.wantsGas && transaction.gas === undefined) {
    return { error: { code: -32000, message: 'intrinsic gas too high' } }
  }
  if (form.value > balanceOf(state, form.from)) {
    return { error: { code: -32000, message: 'insufficient funds for transfer' } }
  }
  const exists = form.to === undefined || state.balances.has(form.to)
  const exact = Math.max(
    intrinsicOf(form, state.rules) + executionOf(form, exists, state.rules),
    floorOf(form, state.rules),
  )
  // geth tries a plain transfer with 21,000 first, and else stops its search within 1.5 percent.
  if (form.data === '0x' && form.to !== undefined && exact <= 21_000) return { result: hex(21_000) }
  return { result: hex(Math.ceil(exact * 1.0136)) }
}

function blockBody(block: Block, full: boolean) {
  const fork = block.showsFork ? { blockAccessListHash: `0x${'11'.repeat(32)}`, slotNumber: hex(block.number) } : {}
  return {
    ...{ number: hex(block.number), hash: block.hash, parentHash: block.parentHash, ...fork },
    ...{ timestamp: hex(block.timestamp), baseFeePerGas: hex(baseFee), gasLimit: hex(blockGas), gasUsed: '0x5208' },
    transactions: block.mined.map((each, index) => (full ? transactionBody(each, block, index) : each.hash)),
  }
}

function transactionBody(sent: SentTransaction, block?: Block, index = 0) {
  const at = block && { blockHash: block.hash, blockNumber: hex(block.number), transactionIndex: hex(index) }
  return {
    ...{ hash: sent.hash, from: sent.from, to: sent.to ?? null, nonce: hex(sent.nonce), value: hex(sent.value) },
    ...{ input: sent.data, gas: hex(sent.gas), maxFeePerGas: hex(sent.feeCap), maxPriorityFeePerGas: hex(sent.tip) },
    ...{ type: '0x2', ...(at ?? { blockHash: null, blockNumber: null }) },
  }
}

function find(state: State, hash: unknown) {
  for (const block of state.blocks) {
    const index = block.mined.findIndex((each) => each.hash === hash)
    const mined = block.mined[index]
    if (mined) return { block, index, mined }
  }
  return undefined
}

function receipt(state: State, hash: unknown): unknown {
  const found = find(state, hash)
  if (!found) return null
  const { block, index, mined } = found
  const tip = mined.tip < mined.feeCap - baseFee ? mined.tip : mined.feeCap - baseFee
  return {
    ...{ transactionHash: mined.hash, blockHash: block.hash, blockNumber: hex(block.number), logs: [] },
    ...{ transactionIndex: hex(index), status: mined.succeeded ? '0x1' : '0x0', gasUsed: hex(mined.gasUsed) },
    ...{ effectiveGasPrice: hex(baseFee + tip), from: mined.from, to: mined.to ?? null },
  }
}

function blockAt({ blocks }: State, tag: unknown): Block | undefined {
  if (tag === 'latest' || tag === 'pending') return blocks.at(-1)
  if (tag === 'safe' || tag === 'finalized') return blocks.at(-3)
  return blocks.find(({ number, hash }) => hex(number) === tag || hash === tag)
}

function countOf(state: State, address: string, tag: unknown): number {
  const count = state.nonces.get(address) ?? 0
  const after = typeof tag === 'string' && tag.startsWith('0x') ? state.blocks[Number(tag) + 1] : undefined
  if (after) return after.before.nonces.get(address) ?? 0
  if (tag !== 'pending') return count
  const waiting = new Set(state.pool.filter(({ from }) => from === address).map(({ nonce }) => nonce))
  let next = count
  while (waiting.has(next)) next += 1
  return next
}

function feeHistory(state: State, [blocks, newest, percentiles]: readonly unknown[]) {
  const count = Math.min(Number(blocks), state.blocks.length)
  const reward = (Array.isArray(percentiles) ? percentiles : []).map(() => hex(1_000_000_000))
  return {
    oldestBlock: hex((blockAt(state, newest) ?? headOf(state)).number - count + 1),
    baseFeePerGas: Array.from({ length: count + 1 }, () => hex(baseFee)),
    gasUsedRatio: Array.from({ length: count }, () => 0.1),
    reward: Array.from({ length: count }, () => reward),
  }
}

async function answer(state: State, { method, params }: RpcCall): Promise<RpcReply> {
  const held = state.held.get(method) ?? 0
  if (held > 0) await new Promise((resolve) => setTimeout(resolve, held))
  if (state.refused.includes(method)) return { error: { code: -32603, message: 'on hold' } }
  const [first, second] = params
  const address = String(first).toLowerCase()
  switch (method) {
    case 'eth_chainId':
      return { result: hex(31_337) }
    case 'web3_clientVersion':
      return { result: 'Geth/v1.18.0-unstable' }
    case 'eth_blockNumber':
      return { result: hex(headOf(state).number) }
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash': {
      const block = blockAt(state, first)
      return { result: block ? blockBody(block, second === true) : null }
    }
    case 'eth_getTransactionCount':
      return { result: hex(countOf(state, address, second)) }
    case 'eth_getBalance':
      return { result: hex(balanceOf(state, address)) }
    case 'eth_getCode':
      return { result: '0x' }
    case 'eth_call':
      return call(state, first as CallObject)
    case 'eth_estimateGas':
      return estimate(state, first as CallObject)
    case 'eth_sendRawTransaction':
      return send(state, String(first))
    case 'eth_getTransactionReceipt':
      return { result: receipt(state, first) }
    case 'eth_getTransactionByHash': {
      const found = find(state, first)
      const waiting = state.pool.find(({ hash }) => hash === first)
      return {
        result: found
          ? transactionBody(found.mined, found.block, found.index)
          : waiting
            ? transactionBody(waiting)
            : null,
      }
    }
    case 'eth_feeHistory':
      return { result: feeHistory(state, params) }
    case 'eth_gasPrice':
      return { result: hex(2n * baseFee) }
    case 'eth_maxPriorityFeePerGas':
      return { result: hex(1_000_000_000) }
    default:
      return notFound
  }
}

/** With these accounts, beside the first of anvil's. */
export async function startGasNode(funded: readonly string[] = []): Promise<GasNode> {
  let state = fresh()
  const fund = () => {
    for (const address of [...funded, '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266']) {
      state.balances.set(address.toLowerCase(), funds)
    }
  }
  fund()
  const server: RpcServer = await startRpcServer()
  server.react({ do: 'handle', each: (each) => answer(state, each) })
  return {
    url: server.url,
    fork(rules) {
      state.rules = rules
      state.showsFork = rules.base === 12_000
    },
    timestamp: () => headOf(state).timestamp,
    mine(blocks = 1) {
      for (let count = 0; count < blocks; count++) mineOne(state)
      return Promise.resolve()
    },
    async rpc<T>(method: string, params: readonly unknown[] = []) {
      const reply = await answer(state, { id: 0, method, params })
      if ('error' in reply) throw new Error(`${method}: ${reply.error.message} (${reply.error.code})`)
      return reply.result as T
    },
    reorganize: (blocks) => reorganize(state, blocks),
    create: (address, balance = 1n) => void state.balances.set(address.toLowerCase(), balance),
    balance: (address) => balanceOf(state, address.toLowerCase()),
    minedOf: (hash) => find(state, hash)?.mined,
    all: () => state.blocks.flatMap(({ mined }) => mined),
    poolSize: () => state.pool.length,
    refuse(methods) {
      state.refused = methods
    },
    answerCalls() {
      state.passes = true
    },
    refuseOwnChoice() {
      state.wantsGas = true
    },
    hold: (method, ms) => void state.held.set(method, ms),
    lastGas: () => state.lastGas,
    reset() {
      state = fresh(state.made)
      fund()
    },
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
