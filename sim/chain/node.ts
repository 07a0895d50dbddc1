// One node: its own view of the chain, its own pool, and its answers to JSON-RPC.
import { jointCode } from '../../src/chain/accounts/joint-call.ts'
import type { FinalityTag } from '../../src/domain/finality.ts'
import type { Hex } from '../../src/domain/ids.ts'
import type { Dice } from '../../tooling/dice.ts'
import type { FeeWorld } from '../scenario/fees.ts'
import { accountAt, ancestorAt, type Block, type Blocks, blockGasMax, branches } from './blocks.ts'
import { type Deposits, depositsJson } from './deposits.ts'
import { brokenContract, type EstimateError, type EstimateOutage, errorOfBroken } from './failing-estimates.ts'
import { estimateOf, type Form, type GasRules, gasOf, isForked, refusalOfCall } from './gas-rules.ts'
import { flakyContract } from './mine.ts'
import { rewardsOf } from './others.ts'
import { type Admission, admit, dropUnpaid, nextNonce, openPool, type Pool, prune } from './pool.ts'
import type { Profile } from './profiles.ts'
import { type ReceiptHabits, receiptJson } from './receipts.ts'
import type { ReserveRules } from './reserve.ts'
import {
  type ChainKind,
  early,
  l1GasAt,
  l1Oracle,
  l1PriceAt,
  oracleAnswer,
  order,
  takeArrived,
  takeFuture,
} from './sequencer.ts'
import { decode, listedIn, type SimTransaction, transactionJson } from './transaction.ts'

export interface SimNode {
  readonly index: number
  readonly profile: Profile
  readonly pool: Pool
  /** Its gateway rejects calls of code that is not deployed. */
  readonly refusesCode: boolean
  readonly pendingCount: PendingCount
  readonly tagAnswer: TagAnswer
  readonly receipts: ReceiptHabits
  head: Block
  /** The block that it shows above its head, whose payload is withheld: no state, no receipt. */
  announced?: Block | undefined
  /** The tags at the time of its head. */
  tags: Tags
  /** Its head stands still. */
  lags: boolean
}

/** `null` and `error`: the node has no tags. A node keeps its answer for the whole run. */
export type TagAnswer = 'block' | 'null' | 'error'

export type Tags = Readonly<Record<FinalityTag, Block>>

/** Its answer to a request for the pending count: that count, an error, or the count at its head, as if its pool were empty. */
export type PendingCount = 'pool' | 'error' | 'latest'

export interface NodeWorld {
  readonly blocks: Blocks
  readonly chainId: number
  readonly dice: Dice
  readonly fees: FeeWorld
  /** The faults have stopped: pools drop transactions that their accounts cannot pay. */
  readonly isCalm: () => boolean
  readonly kind: ChainKind
  /** Transactions are ordered as they come, and not by their tips. */
  readonly isFcfs: () => boolean
  readonly now: () => number
  /** Calls of the flaky contract revert, by what the node knows. */
  readonly revertsAt: (node: SimNode) => boolean
  /** No node estimates a call now. */
  readonly estimateOutage: () => EstimateOutage | undefined
  /** The words of estimates that fail. */
  readonly estimateDice: Dice
  /** Absent: blocks begin with no deposits. */
  readonly deposits: Deposits | undefined
  /** Absent: a block is executed as it is ordered. */
  readonly reserve: ReserveRules | undefined
  /** The gas rules that a block at this height follows. */
  gasRulesAt(number: number): GasRules
  /** Invalid on this chain, for the time being: what fills a gap has too little gas. */
  isTooTight(transaction: SimTransaction): boolean
  /** A node received these bytes from outside. */
  broadcast(node: SimNode, transaction: SimTransaction, admission: Admission): void
}

export interface Member {
  readonly jsonrpc: '2.0'
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export function openNode(
  index: number,
  profile: Profile,
  head: Block,
  manners: Pick<SimNode, 'refusesCode' | 'pendingCount' | 'tagAnswer' | 'receipts'>,
  pool = openPool(),
): SimNode {
  return { index, profile, pool, ...manners, head, tags: { safe: head, finalized: head }, lags: false }
}

/** Takes over another head: the pool loses what it spent, and may get back what it gave up. */
export function moveTo(world: NodeWorld, node: SimNode, head: Block): void {
  const { left } = branches(node.head, head)
  node.head = head
  const { reserve } = world
  prune(node.pool, head, !reserve && !world.isFcfs() && (node.profile.dropsUnpaid || world.isCalm()))
  if (reserve) dropUnpaid(node.pool, head, reserve)
  // What it tracks for itself it tries again, now and then.
  node.pool.tracked = node.pool.tracked.filter(
    (transaction) => world.dice.chance(0.8) || !offer(world, node, transaction).admitted,
  )
  for (const block of left) {
    for (const { transaction } of block.included) {
      if (transaction.isDeposit) continue
      if (node.profile.returnsReorged && world.dice.chance(0.7)) offer(world, node, transaction)
    }
  }
}

/** Orders those whose time has come. */
export function orderArrived(world: NodeWorld, node: SimNode): void {
  if (node.pool.arriving.length > 0) take(world, node, undefined)
}

export function offer(world: NodeWorld, node: SimNode, transaction: SimTransaction): Admission {
  if (world.isTooTight(transaction)) return { admitted: false, refusal: 'invalid' }
  return take(world, node, transaction)
}

const nothingOffered: Admission = { admitted: false, refusal: 'invalid' }

function take(world: NodeWorld, node: SimNode, transaction: SimTransaction | undefined): Admission {
  const { chainId, fees, kind, blocks } = world
  const { pool } = node
  const at = world.isFcfs() ? blocks.canonical() : node.head
  const rules = {
    chainId,
    tipMin: fees.poolTipMin,
    isFree: fees.isFree,
    l1Gas: l1GasAt(at, kind),
    l1Price: l1PriceAt(at, kind),
    gasRules: world.gasRulesAt(at.number),
    reserve: world.reserve,
  }
  if (world.isFcfs()) {
    const ordered = (each: SimTransaction) =>
      order(pool, at, { ...rules, gasNeeded: gasOf(each, rules.gasRules) + rules.l1Gas }, each, world.now())
    const inTurn = (each: SimTransaction) => {
      const admission = ordered(each)
      const { from } = each
      for (let isNext = admission.admitted; isNext; ) {
        const kept = takeFuture(pool, from, nextNonce(pool, at, from), world.now())
        isNext = kept !== undefined && ordered(kept).admitted
      }
      return admission
    }
    for (const arrived of takeArrived(pool, world.now())) inTurn(arrived)
    return transaction ? inTurn(transaction) : nothingOffered
  }
  // What came before the chain went over to another order is one of many.
  for (const arrived of takeArrived(pool, world.now())) admit(pool, node.profile, node.head, rules, arrived)
  if (!transaction) return nothingOffered
  return admit(node.pool, node.profile, node.head, rules, transaction)
}

const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`

export function answer(
  world: NodeWorld,
  node: SimNode,
  { id, method, params }: { id: unknown; method: string; params: readonly unknown[] },
): Member {
  const result = (value: unknown): Member => ({ jsonrpc: '2.0', id, result: value })
  const error = (code: number, message: string, data?: unknown): Member => ({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  })
  const failed = (said: EstimateError) => error(said.code, said.message)
  const blockOf = (place: unknown) => {
    if (place === 'latest' || place === 'pending') return node.head
    return ancestorAt(node.head, Number(place))
  }
  switch (method) {
    case 'eth_chainId':
      return result(hex(world.chainId))
    case 'web3_clientVersion':
      return result(node.profile.version)
    case 'eth_getBlockByNumber': {
      const [place] = params
      const tag = place === 'safe' || place === 'finalized' ? place : undefined
      if (tag && node.tagAnswer === 'error') return error(-39001, `${tag} block not found`)
      if (tag && node.tagAnswer === 'null') return result(null)
      const block = tag ? node.tags[tag] : shownAt(node, place, blockOf)
      return result(block ? blockJson(block, params[1] === true, world) : null)
    }
    case 'eth_getTransactionCount': {
      const [address, place] = params as [string, string]
      if (place === 'pending' && node.pendingCount === 'error') {
        return world.dice.chance(0.5)
          ? error(-32602, 'pending block is not available')
          : error(-32000, 'unsupported block number')
      }
      if (place === 'pending' && node.pendingCount === 'pool') {
        return result(hex(nextNonce(node.pool, node.head, address.toLowerCase())))
      }
      const block = blockOf(place)
      return block ? result(hex(accountAt(block, address.toLowerCase()).nonce)) : error(-32000, 'header not found')
    }
    case 'eth_getBalance': {
      const [address, place] = params as [string, string]
      const block = blockOf(place)
      // Every other node has no older state, where the balance of earlier blocks counts.
      if (block && world.reserve && node.index % 2 === 1 && node.head.number - block.number > 1)
        return error(-32000, 'missing trie node')
      return block ? result(hex(accountAt(block, address.toLowerCase()).balance)) : error(-32000, 'header not found')
    }
    case 'eth_getCode':
      return result('0x')
    case 'eth_call': {
      const [{ to, data = '0x', gas }, place] = params as [{ to?: string; data?: string; gas?: Hex }, string]
      const gasRules = world.gasRulesAt(node.head.number)
      if (gasRules && gas !== undefined) {
        const refusal = refusalOfCall(node.profile.client, formOf(params[0] as CallObject), Number(gas), gasRules)
        return refusal === undefined ? result('0x') : error(-32000, refusal)
      }
      if (to?.toLowerCase() === l1Oracle) {
        const word = world.kind.hasL1Fee ? oracleAnswer(data, l1PriceAt(node.head, world.kind)) : undefined
        return word === undefined ? error(3, 'execution reverted') : result(word)
      }
      if (node.refusesCode || !data.startsWith(jointCode)) return error(-32602, 'invalid argument: missing "to"')
      const block = blockOf(place)
      return block ? result(wordsOf(block, data.slice(jointCode.length))) : error(-32000, 'header not found')
    }
    case 'eth_getTransactionReceipt':
      return result(receiptJson(world.blocks, node.head, String(params[0]) as Hex, node.receipts))
    case 'eth_getTransactionByHash': {
      // Without an index of blocks.
      const held = pooled(node.pool, String(params[0]) as Hex)
      return held ? result(transactionJson(held)) : error(-32000, 'transaction indexing is in progress')
    }
    case 'eth_feeHistory': {
      const [count, place, percentiles] = params as [string, string, number[]]
      const block = blockOf(place)
      return block ? result(historyJson(block, Number(count), percentiles)) : error(-32000, 'request beyond head block')
    }
    case 'eth_gasPrice':
      return result(hex(world.fees.isFree ? 0n : node.head.nextBaseFee + world.fees.suggestedTip))
    case 'eth_maxPriorityFeePerGas':
      return result(hex(world.fees.isFree ? 0n : world.fees.suggestedTip))
    case 'eth_estimateGas': {
      const form = formOf(params[0] as CallObject)
      const outage = form.data === '0x' ? undefined : world.estimateOutage()
      if (outage) return failed(world.estimateDice.pick(outage.errors))
      if (world.revertsAt(node) && form.to === flakyContract) return error(3, 'execution reverted')
      const gasRules = world.gasRulesAt(node.head.number)
      if (gasRules && form.value > accountAt(node.head, form.from).balance) {
        return error(-32000, 'insufficient funds for transfer')
      }
      if (form.to === brokenContract) return failed(errorOfBroken(node.index, world.estimateDice))
      return result(hex(estimateOf(form, isNew(form.to), gasRules) + l1GasAt(node.head, world.kind)))
    }
    case 'eth_sendRawTransaction':
      return send(world, node, String(params[0]) as Hex, result, error)
    case 'eth_sendRawTransactionSync': {
      if (world.kind.answers !== 'withReceipt') return error(-32601, `the method ${method} does not exist`)
      const receipt = (hash: unknown) =>
        result({ transactionHash: hash, blockHash: `0x${'0'.repeat(64)}`, status: '0x1' })
      return send(world, node, String(params[0]) as Hex, world.isFcfs() ? receipt : result, error)
    }
    default:
      return error(-32601, `the method ${method} does not exist/is not available`)
  }
}

function send(
  world: NodeWorld,
  node: SimNode,
  raw: Hex,
  result: (value: unknown) => Member,
  error: (code: number, message: string) => Member,
): Member {
  const transaction = decode(raw)
  const admission =
    (world.kind.answers === 'beforeOrder' && answerEarly(world, node, transaction)) || offer(world, node, transaction)
  world.broadcast(node, transaction, admission)
  if (admission.admitted) return result(transaction.hash)
  const { refusal, tipNeeded } = admission
  // geth does not swallow this one: it is no passing state of its pool.
  if (tipNeeded !== undefined) return error(-32000, tipTooLow(transaction.tip, tipNeeded, world.dice))
  if (node.profile.swallows.includes(refusal)) {
    node.pool.tracked.push(transaction)
    return result(transaction.hash)
  }
  const words = node.profile.words(refusal)
  const { code = -32000, message } = world.dice.pick(words)
  return error(code, message)
}

/** The hash, before any order. Undefined for bytes that the node refuses by itself. */
function answerEarly(world: NodeWorld, node: SimNode, transaction: SimTransaction): Admission | undefined {
  const { pool, head } = node
  const { from, nonce, chainId, cap, tip, gasLimit } = transaction
  const isSound =
    chainId === world.chainId && tip <= cap && gasLimit >= gasOf(transaction, world.gasRulesAt(head.number))
  if (!world.isFcfs() || !isSound || nonce < accountAt(head, from).nonce) return undefined
  const isLost = !world.isCalm() && world.dice.chance(early.lost)
  const atMs = world.now() + world.dice.between(0, early.msMax)
  if (!isLost) pool.arriving.push({ transaction, atMs })
  return { admitted: true }
}

/** As geth says it, today and in older releases. */
function tipTooLow(tip: bigint, needed: bigint, dice: Dice): string {
  return dice.chance(0.5)
    ? `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${needed}`
    : `transaction underpriced: tip needed ${needed}, tip permitted ${tip}`
}

/** The block itself, without any state. */
function shownAt(
  { announced }: SimNode,
  place: unknown,
  blockOf: (place: unknown) => Block | undefined,
): Block | undefined {
  const isShown = announced && (place === 'latest' || Number(place) === announced.number)
  return isShown ? announced : blockOf(place)
}

interface CallObject {
  readonly from?: string
  readonly to?: string
  readonly value?: Hex
  readonly data?: Hex
  readonly accessList?: Parameters<typeof listedIn>[0]
}

function formOf({ from = '0x', to = '0x', value = '0x0', data = '0x', accessList }: CallObject): Form {
  return { from: from.toLowerCase(), to: to.toLowerCase(), value: BigInt(value), data, listed: listedIn(accessList) }
}

/** The service estimates a transfer to an address that is made from a hash of a block. */
function isNew(address: string): boolean {
  return address.startsWith('0xb10c')
}

function blockJson(block: Block, full: boolean, { gasRulesAt, deposits }: NodeWorld): object {
  const sent = block.included.flatMap(({ transaction }) => (transaction.isDeposit ? [] : [transaction]))
  return {
    number: hex(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    timestamp: hex(block.timestampSeconds),
    baseFeePerGas: hex(block.baseFee),
    gasLimit: hex(blockGasMax),
    gasUsed: hex(block.gasUsed),
    ...(isForked(gasRulesAt(block.number)) && { blockAccessListHash: block.hash, slotNumber: hex(block.number) }),
    transactions: [
      ...(deposits ? depositsJson(block, full, deposits) : []),
      ...sent.map((transaction) => (full ? transactionJson(transaction) : transaction.hash)),
    ],
  }
}

/** As the engine's code makes them: nobody delegates here. */
function wordsOf(block: Block, addresses: string): string {
  const words = (addresses.match(/.{40}/g) ?? []).map((digits) => accountAt(block, `0x${digits}`).balance * 2n)
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`
}

function pooled({ bySender }: Pool, hash: Hex): SimTransaction | undefined {
  for (const held of bySender.values()) for (const each of held.values()) if (each.hash === hash) return each
  return undefined
}

function historyJson(newest: Block, count: number, percentiles: readonly number[]): object {
  const some: Block[] = []
  for (let at: Block | undefined = newest; at && some.length < count; at = at.parent) some.unshift(at)
  return {
    oldestBlock: hex(some[0]?.number ?? 0),
    baseFeePerGas: [...some.map(({ baseFee }) => baseFee), newest.nextBaseFee].map(hex),
    gasUsedRatio: some.map(({ gasUsed }) => gasUsed / blockGasMax),
    reward: some.map((block) => rewardsOf(block, percentiles).map(hex)),
  }
}
