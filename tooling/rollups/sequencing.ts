// First come, first served, as Arbitrum's sequencer does it: no pool and no replacement. A transaction is ordered when it
// arrives, and its sender is answered after that. A nonce that is too high waits a moment for the one before it.
//
// The rules and the words are those of Nitro's execution/gethexec: `PreCheckTx` and `NonceError` in tx_pre_checker.go, and
// `precheckNonces`, `nonceFailureCache` and `createBlock` in sequencer.go, as of 2026. Simpler than there: one block takes
// what arrived since the last, however large, and no express lane (Timeboost) delays the others.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcReply } from '../rpc-server.ts'
import { refusal } from './node-behind.ts'
import { costOf, type SignedTransaction } from './signed-transaction.ts'

/** What executes. */
export interface Executor {
  nonceOf(address: string): Promise<number>
  balanceOf(address: string): Promise<bigint>
  /** Of the last block. */
  baseFee(): Promise<bigint>
  /** Gas that the transaction needs for L1 now. */
  l1Gas(transaction: SignedTransaction): Promise<bigint>
  /** Seconds, of the block that would be made now. */
  timestamp(): Promise<number>
  /** Makes a block of these, in this order. After an error, the later ones of the same sender are not tried. */
  execute(transactions: readonly SignedTransaction[]): Promise<readonly Execution[]>
}

export type Execution = 'executed' | 'untried' | { readonly error: string }

interface SequencingOptions {
  /** At least so long between two blocks. */
  readonly blockMsMin: number
  readonly keepsFutureNonceMs: number
}

/** Of eth_sendRawTransactionConditional; others than these are not checked here. */
export interface Conditions {
  readonly timestampMin?: number
  readonly timestampMax?: number
}

export interface Sequencing {
  publish(transaction: SignedTransaction, conditions?: Conditions): Promise<RpcReply>
  /** Nonces that wait for the one before them. */
  waiting(): readonly number[]
}

interface Arrival {
  readonly transaction: SignedTransaction
  readonly conditions: Conditions
  readonly expiresAt: number
  answer(reply: RpcReply): void
}

const intrinsicGas = 21_000n
/** Transfers, as anvil's blocks have room for. */
const blockTransactionsMax = 500

export function sequence(executor: Executor, options: SequencingOptions): Sequencing {
  const queue: Arrival[] = []
  const waiting = new Map<string, Arrival>()
  let running = false
  let lastBlockAt = Number.NEGATIVE_INFINITY

  async function publish(transaction: SignedTransaction, conditions: Conditions = {}): Promise<RpcReply> {
    const refused = await precheck(executor, transaction)
    if (refused !== undefined) return refusal(refused)
    const { promise, resolve } = Promise.withResolvers<RpcReply>()
    const expiresAt = performance.now() + options.keepsFutureNonceMs
    queue.push({ transaction, conditions, expiresAt, answer: resolve })
    void run()
    return promise
  }

  async function run(): Promise<void> {
    if (running) return
    running = true
    try {
      while (queue.length > 0) {
        const pauseMs = lastBlockAt + options.blockMsMin - performance.now()
        if (pauseMs > 0) await sleep(pauseMs)
        await makeBlock(queue.splice(0, blockTransactionsMax))
      }
    } finally {
      running = false
    }
  }

  async function makeBlock(arrivals: Arrival[]): Promise<void> {
    const next = new Map<string, number>()
    const ordered: Arrival[] = []
    const baseFee = await executor.baseFee()
    const timestamp = await executor.timestamp()
    while (arrivals.length > 0) {
      const arrival = arrivals.shift()
      if (!arrival) break
      const { transaction, conditions, answer } = arrival
      const { from, nonce } = transaction
      const stateNonce = next.get(from) ?? (await executor.nonceOf(from))
      const refused = feeTooLow(transaction, baseFee, '') ?? conditionNotMet(conditions, timestamp)
      if (refused) answer(typeof refused === 'string' ? refusal(refused) : refused)
      else if (nonce < stateNonce) answer(refusal(nonceError(transaction, stateNonce)))
      else if (nonce > stateNonce) keep(arrival, stateNonce)
      else {
        next.set(from, nonce + 1)
        ordered.push(arrival)
        const successor = waiting.get(keyOf(from, nonce + 1))
        waiting.delete(keyOf(from, nonce + 1))
        if (successor) arrivals.unshift(successor)
      }
    }
    if (ordered.length === 0) return
    const executions = await executor.execute(ordered.map(({ transaction }) => transaction))
    lastBlockAt = performance.now()
    for (const [index, arrival] of ordered.entries()) {
      const execution = executions[index] ?? 'untried'
      if (execution === 'untried') queue.push(arrival)
      else if (execution === 'executed') arrival.answer({ result: arrival.transaction.hash })
      else arrival.answer(refusal(execution.error))
    }
  }

  /** The second transaction with that nonce is not kept. */
  function keep(arrival: Arrival, stateNonce: number): void {
    const { from, nonce } = arrival.transaction
    const key = keyOf(from, nonce)
    const leftMs = arrival.expiresAt - performance.now()
    const refused = refusal(nonceError(arrival.transaction, stateNonce))
    if (waiting.has(key) || leftMs <= 0) {
      arrival.answer(refused)
      return
    }
    waiting.set(key, arrival)
    setTimeout(() => {
      if (waiting.get(key) !== arrival) return
      waiting.delete(key)
      arrival.answer(refused)
    }, leftMs).unref()
  }

  return { publish, waiting: () => [...waiting.values()].map(({ transaction }) => transaction.nonce) }
}

async function precheck(executor: Executor, transaction: SignedTransaction): Promise<string | undefined> {
  const { from, gas, nonce, type } = transaction
  if (gas < intrinsicGas) return 'intrinsic gas too low'
  if (type === 'eip4844') return 'transaction type not supported'
  const tooCheap = feeTooLow(transaction, await executor.baseFee(), `address ${from}, `)
  if (tooCheap !== undefined) return tooCheap
  const stateNonce = await executor.nonceOf(from)
  if (nonce < stateNonce) return nonceError(transaction, stateNonce)
  const [balance, cost] = [await executor.balanceOf(from), costOf(transaction)]
  if (balance < cost) return `insufficient funds for gas * price + value: address ${from} have ${balance} want ${cost}`
  if (gas < intrinsicGas + (await executor.l1Gas(transaction))) return 'intrinsic gas too low'
  return undefined
}

function feeTooLow({ maxFeePerGas }: SignedTransaction, baseFee: bigint, sender: string): string | undefined {
  if (maxFeePerGas >= baseFee) return undefined
  return `max fee per gas less than block base fee: ${sender}maxFeePerGas: ${maxFeePerGas} baseFee: ${baseFee}`
}

function nonceError({ from, nonce }: SignedTransaction, stateNonce: number): string {
  const which = nonce < stateNonce ? 'low' : 'high'
  return `nonce too ${which}: address ${from}, tx: ${nonce} state: ${stateNonce}`
}

/** `ConditionalOptions.Check` of Nitro's arbitrum_types/txoptions.go; the code is that of its `rejectedError`. */
function conditionNotMet({ timestampMin, timestampMax }: Conditions, timestamp: number): RpcReply | undefined {
  if (timestampMin !== undefined && timestamp < timestampMin) {
    return refusal('TimestampMin condition not met', -32_003)
  }
  if (timestampMax !== undefined && timestamp > timestampMax) {
    return refusal('TimestampMax condition not met', -32_003)
  }
  return undefined
}

function keyOf(from: string, nonce: number): string {
  return `${from.toLowerCase()}:${nonce}`
}
