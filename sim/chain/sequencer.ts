// A chain with one sequencer: whether it orders as it receives, and the part of gas that pays for data on L1.
import { accountAt, type Block, blockGasMax } from './blocks.ts'
import { type Admission, nextNonce, type Pool, type PoolRules, promisedBefore } from './pool.ts'
import type { SimTransaction } from './transaction.ts'

/** The differences of a chain from Ethereum. */
export interface ChainKind {
  /** First come, first served: an ordered transaction is in the next block, and nothing replaces it. */
  readonly isFcfs: boolean
  /** The time of its answer to a send. */
  readonly answers: OrderAnswers
  /** The chain changes to an order by tips while the service runs, and back. */
  readonly switchesOrder: boolean
  /** All nodes pass transactions to one pool. */
  readonly hasSequencer: boolean
  /** Gas has a part for L1, so that 21,000 never suffice. */
  readonly hasL1Gas: boolean
  /** Data on L1 costs a fee beside gas, which an oracle reports. */
  readonly hasL1Fee: boolean
}

/**
 * `afterOrder`: with a hash, once it has ordered the transaction. `withReceipt`: so, with a receipt that names no block yet.
 * `beforeOrder`: with a hash, after checks of the bytes; the order follows, or the transaction is lost.
 */
export type OrderAnswers = 'afterOrder' | 'withReceipt' | 'beforeOrder'

export const ethereum: ChainKind = {
  ...{ isFcfs: false, answers: 'afterOrder', switchesOrder: false },
  ...{ hasSequencer: false, hasL1Gas: false, hasL1Fee: false },
}

/** The sequencer keeps a nonce that is too high for this long (Nitro). */
export const keepsFutureMs = 1_000

const l1GasParts = [20_000, 25_000, 60_000, 30_000, 45_000, 20_000, 90_000]

/** Stands for some blocks, and may then be several times as much. */
export function l1GasAt({ number }: Pick<Block, 'number'>, { hasL1Gas }: ChainKind): number {
  return hasL1Gas ? (l1GasParts[(number >> 4) % l1GasParts.length] ?? 0) : 0
}

/** Prices of a byte on L1, in wei: as much as gas, or far more. */
const l1Prices = [500_000_000_000n, 600_000_000_000n, 4_000_000_000_000n, 800_000_000_000n]

/** Stands for some blocks, as the gas does. */
export function l1PriceAt({ number }: Pick<Block, 'number'>, { hasL1Fee }: ChainKind): bigint {
  return hasL1Fee ? (l1Prices[(number >> 4) % l1Prices.length] ?? 0n) : 0n
}

/** GasPriceOracle of the OP stack: it adds the bytes of a signature to those that it is given. */
export const l1Oracle = '0x420000000000000000000000000000000000000f'
const signatureBytes = 68n

/** `getL1FeeUpperBound(uint256)`; undefined for any other call. */
export function oracleAnswer(data: string, price: bigint): string | undefined {
  if (!data.startsWith('0xf1c7a58b')) return undefined
  return `0x${((BigInt(`0x${data.slice(10)}`) + signatureBytes) * price).toString(16).padStart(64, '0')}`
}

/** Orders a transaction at once, or not at all. A nonce that is too high waits a moment, although the answer is an error. */
export function order(
  pool: Pool,
  head: Block,
  { chainId, gasNeeded }: PoolRules & { readonly gasNeeded: number },
  transaction: SimTransaction,
  nowMs: number,
): Admission {
  const { from, nonce, gasLimit, cap, tip } = transaction
  const refuse = (refusal: Extract<Admission, { admitted: false }>['refusal']): Admission => ({
    admitted: false,
    refusal,
  })
  if (transaction.chainId !== chainId || tip > cap) return refuse('invalid')
  if (gasLimit < gasNeeded || gasLimit > blockGasMax) return refuse('invalid')
  leaveOutUnpriced(pool, head, from)
  const next = nextNonce(pool, head, from)
  if (nonce < next) return refuse('nonceTooLow')
  if (nonce > next) {
    pool.future.push({ transaction, untilMs: nowMs + keepsFutureMs })
    return refuse('nonceGap')
  }
  if (cap < head.nextBaseFee) return refuse('feeTooLow')
  const { balance } = accountAt(head, from)
  const cost = transaction.value + BigInt(gasLimit) * cap
  if (promisedBefore(pool, head, from) + cost > balance) return refuse('insufficientFunds')
  const held = pool.bySender.get(from) ?? new Map<number, SimTransaction>()
  pool.bySender.set(from, held.set(nonce, transaction))
  return { admitted: true }
}

/** Held since the chain ordered by tips, with a cap that the base fee has passed: refused at their turn, and so not ordered. */
function leaveOutUnpriced({ bySender }: Pool, { nextBaseFee }: Block, sender: string): void {
  const held = bySender.get(sender) ?? new Map<number, SimTransaction>()
  for (const [nonce, { cap }] of held) if (cap < nextBaseFee) held.delete(nonce)
}

/** The answer comes up to `msMax` before the order, and the transaction is lost in between with the probability `lost`. */
export const early = { msMax: 3_000, lost: 0.2 } as const

/** Answered with a hash, and not ordered yet: those whose time has come. */
export function takeArrived(pool: Pool, nowMs: number): readonly SimTransaction[] {
  const due = pool.arriving.filter(({ atMs }) => atMs <= nowMs)
  pool.arriving = pool.arriving.filter(({ atMs }) => atMs > nowMs)
  return due.sort((one, other) => one.atMs - other.atMs).map(({ transaction }) => transaction)
}

/** The transactions that came too early, and whose nonces are next by now. */
export function takeFuture(pool: Pool, sender: string, nonce: number, nowMs: number): SimTransaction | undefined {
  pool.future = pool.future.filter(({ untilMs }) => untilMs >= nowMs)
  return pool.future.find(({ transaction }) => transaction.from === sender && transaction.nonce === nonce)?.transaction
}
