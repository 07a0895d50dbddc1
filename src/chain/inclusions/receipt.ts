// Decodes a receipt and derives what it proves about the execution. Transaction and block are required. Older nodes and
// some gateways omit other members, and the protocol's rules prove some of these.
import { effectivePrice, feeCap } from '../../domain/fees.ts'
import type { Hash } from '../../domain/ids.ts'
import type { LiveAttempt } from '../../domain/observation.ts'
import type { Depth } from '../../domain/patience.ts'
import type { BlockRef, Charge, Execution, Inclusion } from '../../domain/transaction.ts'
import { feesPaid, spenderKind } from '../../domain/transaction.ts'
import type { Gas, Nonce, Wei } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { askAbout, type NodeReply, valueIn } from '../nodes/ask-about.ts'
import { toBigInt, toHash, toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { readHeader } from '../nodes/read-block.ts'
import { readRevert } from './read-revert.ts'

export interface Receipt {
  readonly hash: Hash
  readonly block: BlockRef
  readonly succeeded?: boolean
  readonly gasUsed?: Gas
  readonly effectiveGasPrice?: Wei
  readonly l1Fee?: Wei
  /** The nonce that a deposit from L1 spent (OP stack). */
  readonly depositNonce?: Nonce
  readonly leftLogs: boolean
  /** The receipt has a state root where later ones have a status, since Byzantium (EIP-658). */
  readonly isBeforeByzantium: boolean
}

interface Wire {
  readonly transactionHash?: unknown
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly status?: unknown
  readonly root?: unknown
  readonly gasUsed?: unknown
  readonly effectiveGasPrice?: unknown
  readonly logs?: unknown
  readonly l1Fee?: unknown
  readonly depositNonce?: unknown
  readonly tokenRatio?: unknown
  readonly operatorFeeScalar?: unknown
  readonly operatorFeeConstant?: unknown
  readonly daFootprintGasScalar?: unknown
}

export const receiptMethod = 'eth_getTransactionReceipt'

/** A denial where there is no receipt, or it names no transaction or no block. */
export function readReceipt(endpoint: Endpoint, hash: Hash): Promise<NodeReply<Receipt>> {
  const call = { method: receiptMethod, params: [hash] }
  return askAbout(endpoint, call, toReceipt, (receipt) => receipt.hash === hash)
}

/** The block hash of a preconfirmation: the sequencer has ordered the transaction, and no block has it yet. */
const noBlock = `0x${'0'.repeat(64)}`

/** Undefined where the receipt names no transaction or no block. */
export function toReceipt(value: unknown): Receipt | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const receipt: Wire = value
  const hash = toHash(receipt.transactionHash)
  const blockHash = toHash(receipt.blockHash)
  const number = toNumber(receipt.blockNumber)
  if (!hash || !blockHash || blockHash === noBlock || number === undefined) return undefined
  const status = toNumber(receipt.status)
  const gasUsed = toNumber(receipt.gasUsed)
  const effectiveGasPrice = toBigInt(receipt.effectiveGasPrice)
  const depositNonce = toNumber(receipt.depositNonce)
  // Mantle names a token ratio. It charged its L1 fee as gas until it added an operator's fee.
  const isInGas = receipt.tokenRatio !== undefined && receipt.operatorFeeScalar === undefined
  const operatorFee = operatorFeeOf(receipt, gasUsed)
  const dataFee = isInGas ? undefined : toBigInt(receipt.l1Fee)
  const l1Fee = operatorFee === undefined ? dataFee : (dataFee ?? 0n) + operatorFee
  return {
    hash,
    block: { number, hash: blockHash },
    ...(status !== undefined && { succeeded: status === 1 }),
    ...(gasUsed !== undefined && { gasUsed }),
    ...(effectiveGasPrice !== undefined && { effectiveGasPrice }),
    ...(l1Fee !== undefined && { l1Fee }),
    ...(depositNonce !== undefined && { depositNonce }),
    leftLogs: Array.isArray(receipt.logs) && receipt.logs.length > 0,
    isBeforeByzantium: status === undefined && toHash(receipt.root) !== undefined,
  }
}

/**
 * The charge of a rollup's operator beside gas and data (OP stack, Isthmus). Jovian changed the unit of the scalar, and
 * receipts since then name the scalar of the data footprint (op-geth `core/types/receipt.go`). Mantle, whose receipts
 * name a token ratio, began with the unit of Jovian.
 */
function operatorFeeOf(receipt: Wire, gasUsed: Gas | undefined): Wei | undefined {
  const scalar = toBigInt(receipt.operatorFeeScalar)
  if (scalar === undefined || gasUsed === undefined) return undefined
  const isSinceJovian = receipt.daFootprintGasScalar !== undefined || receipt.tokenRatio !== undefined
  const scaled = BigInt(gasUsed) * scalar
  return (isSinceJovian ? scaled * 100n : scaled / 1_000_000n) + (toBigInt(receipt.operatorFeeConstant) ?? 0n)
}

/**
 * `signed` are the members of the mined transaction, if they are on record. Makes calls only for members that the
 * receipt lacks, and for the reason of a revert. Undefined where the endpoint does not return the block that gives the
 * price: it may the next time.
 */
export async function executionOf(
  endpoint: Endpoint,
  receipt: Receipt,
  signed: Pick<LiveAttempt, 'fees' | 'gasLimit'>,
  at: TrackedHead,
): Promise<Execution | undefined> {
  const { hash, block, gasUsed, l1Fee } = receipt
  const succeeded = receipt.succeeded ?? provenSuccess(receipt, signed.gasLimit)
  // Without the gas, the price gives no cost.
  const isPriced = receipt.effectiveGasPrice !== undefined || gasUsed === undefined
  const [price, revertReason] = await Promise.all([
    isPriced ? { wei: receipt.effectiveGasPrice } : priceByRule(endpoint, block, signed, at),
    succeeded === false ? readRevert(endpoint, hash, block.number) : undefined,
  ])
  if (!price) return undefined
  const charge = chargeOf({ gasUsed, effectiveGasPrice: price.wei, l1Fee })
  return {
    ...(succeeded !== undefined && { succeeded }),
    ...(isPayable(charge, signed) && charge),
    ...(revertReason !== undefined && { revertReason }),
  }
}

/** The members that a receipt has. */
export function chargeOf({
  gasUsed,
  effectiveGasPrice,
  l1Fee,
}: { [Part in keyof Charge]: Charge[Part] | undefined }): Charge {
  return {
    ...(gasUsed !== undefined && { gasUsed }),
    ...(effectiveGasPrice !== undefined && { effectiveGasPrice }),
    ...(l1Fee !== undefined && { l1Fee }),
  }
}

/** Whether the sender could be charged so much: its signature bounds gas and price together (Filecoin charges unused gas in the price). */
function isPayable({ gasUsed = 0, effectiveGasPrice = 0n }: Charge, { gasLimit, fees }: Partial<LiveAttempt>): boolean {
  if (gasLimit === undefined || !fees) return true
  return BigInt(gasUsed) * effectiveGasPrice <= BigInt(gasLimit) * feeCap(fees)
}

/**
 * A failed execution leaves no log (yellow paper, section 8: its substate is dropped). Before Byzantium it used up all
 * of its gas, too, since REVERT, which returns gas, came with that fork (EIP-140). All gas used and no log prove
 * nothing.
 */
function provenSuccess({ leftLogs, isBeforeByzantium, gasUsed }: Receipt, gasLimit: Gas | undefined): true | undefined {
  const gaveGasBack = gasUsed !== undefined && gasLimit !== undefined && gasUsed < gasLimit
  return leftLogs || (isBeforeByzantium && gaveGasBack) ? true : undefined
}

/** The price that a node left out of the receipt, by the protocol's rule. */
async function priceByRule(
  endpoint: Endpoint,
  block: BlockRef,
  { fees }: Pick<LiveAttempt, 'fees'>,
  { head }: TrackedHead,
): Promise<{ readonly wei?: Wei | undefined } | undefined> {
  if (!fees) return {}
  if (fees.kind === 'legacy') return { wei: fees.gasPrice }
  const header = head.hash === block.hash ? head : valueIn(await readHeader(endpoint, block.number))
  if (header?.hash !== block.hash) return undefined
  if (header.baseFee === undefined) return {}
  return { wei: effectivePrice(fees, header.baseFee) }
}

/** So many blocks above a block, a node has its receipts, or never will. */
export const receiptsMade: Depth = { depth: 32 }

/** Whether no other node could add a fact. A no-op executes nothing that could succeed or fail. */
export function isComplete(inclusion: Inclusion | undefined): boolean {
  if (!inclusion) return false
  if (inclusion.by === 'external') return true
  const isKnown = inclusion.succeeded !== undefined || spenderKind(inclusion) === 'noOp'
  return isKnown && feesPaid(inclusion) !== undefined
}

/** Whether this is our transaction with only the facts that a block shows. */
export function lacksReceipt(inclusion: Inclusion): boolean {
  if (inclusion.by === 'external') return false
  const { succeeded, gasUsed, effectiveGasPrice } = inclusion
  return succeeded === undefined && gasUsed === undefined && effectiveGasPrice === undefined
}
