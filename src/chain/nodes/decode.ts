// Decodes a node's JSON into the domain's values. A value of the wrong shape becomes undefined.

import type { Fees } from '../../domain/fees.ts'
import { type Address, type Hash, type Hex, lowerHex } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { AccessList } from '../../domain/transaction.ts'
import type { Gas, Nonce, Wei } from '../../domain/units.ts'

/** A transaction inside a block, with the members that identify the spender of a nonce. */
export interface Mined {
  readonly hash: Hash
  readonly from: Address
  readonly nonce: Nonce
  /** Absent for a contract creation. */
  readonly to?: Address
  readonly value?: Wei
  readonly data?: string
  /** Absent where the node omits it, or the transaction's type has none. */
  readonly accessList?: AccessList
  /** Absent for other types of transactions, and where a member is missing. */
  readonly signed?: Signed
  /** EIP-7702: each authorization spends a nonce of the account that signed it. Those of the wrong shape are missing. */
  readonly authorizations: readonly Authorization[]
}

/** A transaction as a block shows it. Some gateways omit members, such as the nonce of a rollup's deposit. */
export type BlockEntry = Omit<Mined, Identity> & Partial<Pick<Mined, Identity>>
type Identity = 'hash' | 'from' | 'nonce'

/** The other members of the signed bytes, beside receiver, value, data and access list. */
export interface Signed {
  readonly fees: Fees
  readonly type: 'legacy' | 'eip2930' | 'eip1559' | 'eip4844' | 'eip7702'
  /** Absent for a legacy transaction from before EIP-155. */
  readonly chainId?: number
  /** The fee cap and the hashes of a blob transaction (EIP-4844). */
  readonly blobs?: { readonly maxFeePerGas: Wei; readonly hashes: readonly Hash[] }
  readonly gasLimit: Gas
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

interface Authorization {
  readonly chainId: number
  readonly address: Address
  readonly nonce: Nonce
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

export function toBigInt(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined
}

export function toNumber(value: unknown): number | undefined {
  const number = Number(toBigInt(value) ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : undefined
}

export function toHex(number: number): Hex {
  return `0x${number.toString(16)}`
}

export function toHead(value: unknown): Head | undefined {
  const block = toObject(value)
  const number = toNumber(block?.number)
  const hash = toHash(block?.hash)
  const parentHash = toHash(block?.parentHash)
  const timestampSeconds = toNumber(block?.timestamp)
  const baseFee = toBigInt(block?.baseFeePerGas)
  if (number === undefined || !hash || !parentHash || timestampSeconds === undefined) return undefined
  const gasLimit = toNumber(block?.gasLimit)
  return {
    ...{ number, hash, parentHash, timestampMs: timestampSeconds * 1000 },
    ...(baseFee !== undefined && { baseFee }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(block?.blockAccessListHash !== undefined && { isAmsterdam: true as const }),
    ...(block?.slotNumber !== undefined && { hasSlot: true as const }),
  }
}

/** The hashes in a block that was read without its transactions. Undefined when one is missing. */
export function toHashes(value: unknown): ReadonlySet<Hash> | undefined {
  const transactions = toObject(value)?.transactions
  if (!Array.isArray(transactions)) return undefined
  const hashes = transactions.map(toHash)
  return hashes.every((hash) => hash !== undefined) ? new Set(hashes) : undefined
}

/** The transactions of a block. Undefined when it holds no list. */
export function toEntries(value: unknown): readonly BlockEntry[] | undefined {
  const transactions = toObject(value)?.transactions
  return Array.isArray(transactions) ? transactions.map(toEntry) : undefined
}

/** One transaction, mined or in a pool. */
export function toTransaction(one: unknown): Mined | undefined {
  const entry = toEntry(one)
  return isWhole(entry) ? entry : undefined
}

export function isWhole(entry: BlockEntry): entry is Mined {
  return entry.hash !== undefined && entry.from !== undefined && entry.nonce !== undefined
}

/** Some nodes show hashes, whatever the call wants. */
function toEntry(one: unknown): BlockEntry {
  const transaction = typeof one === 'string' ? { hash: one } : toObject(one)
  const hash = toHash(transaction?.hash)
  const from = toAddress(transaction?.from)
  const nonce = toNumber(transaction?.nonce)
  const list = transaction?.authorizationList
  const authorizations = Array.isArray(list) ? list.map(toAuthorization).filter((each) => each !== undefined) : []
  const to = toAddress(transaction?.to)
  const value = toBigInt(transaction?.value)
  const data = typeof transaction?.input === 'string' ? transaction.input.toLowerCase() : undefined
  const accessList = toAccessList(transaction?.accessList)
  return {
    ...(hash && { hash }),
    ...(from && { from }),
    ...(nonce !== undefined && { nonce }),
    authorizations,
    ...(to && { to }),
    ...(value !== undefined && { value }),
    ...(data !== undefined && { data }),
    ...(accessList && { accessList }),
    // Without one of its authorizations other bytes come out.
    ...(authorizations.length === (Array.isArray(list) ? list.length : 0) && withSignature(transaction)),
  }
}

function withSignature(transaction: Wire | undefined): { signed?: Signed } {
  const fees = toFees(transaction)
  const type = signedTypes[toNumber(transaction?.type ?? '0x0') ?? -1]
  const gasLimit = toNumber(transaction?.gas)
  const [r, s, v] = [transaction?.r, transaction?.s, transaction?.v].map(toBigInt)
  // Older nodes do not show it of a legacy transaction, whose `v` holds it (EIP-155).
  const inV = type === 'legacy' && v !== undefined && v >= 35n ? Number((v - 35n) / 2n) : undefined
  const chainId = toNumber(transaction?.chainId) ?? inV
  const parity = toNumber(transaction?.yParity) ?? (v === undefined ? undefined : Number(v < 2n ? v : (v + 1n) % 2n))
  if (!fees || !type || gasLimit === undefined || r === undefined || s === undefined) return {}
  if (parity !== 0 && parity !== 1) return {}
  const known = { fees, type, gasLimit, r: word(r), s: word(s), yParity: parity } as const
  const blobs = toBlobs(transaction)
  return { signed: { ...known, ...(chainId !== undefined && { chainId }), ...(blobs && { blobs }) } }
}

function toBlobs(transaction: Wire | undefined): Signed['blobs'] {
  const maxFeePerGas = toBigInt(transaction?.maxFeePerBlobGas)
  const list = transaction?.blobVersionedHashes
  const hashes = Array.isArray(list) ? list.map(toHash) : [undefined]
  return maxFeePerGas !== undefined && hashes.every((hash) => hash !== undefined) ? { maxFeePerGas, hashes } : undefined
}

/** Indexed by transaction type (EIP-2718). */
const signedTypes: readonly Signed['type'][] = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']

/** The transaction's fees. For an EIP-1559 transaction a node returns a gasPrice, too: the price that it paid. */
function toFees(transaction: Wire | undefined): Fees | undefined {
  const [cap, tip, price] = [transaction?.maxFeePerGas, transaction?.maxPriorityFeePerGas, transaction?.gasPrice].map(
    toBigInt,
  )
  if (cap !== undefined && tip !== undefined) return { kind: 'eip1559', maxFeePerGas: cap, maxPriorityFeePerGas: tip }
  return price === undefined ? undefined : { kind: 'legacy', gasPrice: price }
}

function toAccessList(value: unknown): AccessList | undefined {
  if (!Array.isArray(value)) return undefined
  const entries = value.map((one) => {
    const entry = toObject(one)
    const address = toAddress(entry?.address)
    const keys = entry?.storageKeys
    const storageKeys = Array.isArray(keys) ? keys.map(toHash).filter((key) => key !== undefined) : []
    return address && { address, storageKeys }
  })
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

function toAuthorization(value: unknown): Authorization | undefined {
  const authorization = toObject(value)
  const chainId = toNumber(authorization?.chainId)
  const address = toAddress(authorization?.address)
  const nonce = toNumber(authorization?.nonce)
  const yParity = toNumber(authorization?.yParity ?? authorization?.v)
  const r = toBigInt(authorization?.r)
  const s = toBigInt(authorization?.s)
  if (chainId === undefined || !address || nonce === undefined || yParity === undefined) return undefined
  if (r === undefined || s === undefined) return undefined
  return { chainId, address, nonce, yParity, r: word(r), s: word(s) }
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

export function toHash(value: unknown): Hash | undefined {
  return isHex(value, 64) ? lowerHex(value) : undefined
}

export function toAddress(value: unknown): Address | undefined {
  return isHex(value, 40) ? lowerHex(value) : undefined
}

function isHex(value: unknown, digits: 40 | 64): value is Hex {
  return typeof value === 'string' && value.length === digits + 2 && /^0x[0-9a-f]*$/i.test(value)
}

/** The members that this file reads, of every kind of object. */
interface Wire {
  readonly number?: unknown
  readonly hash?: unknown
  readonly parentHash?: unknown
  readonly timestamp?: unknown
  readonly baseFeePerGas?: unknown
  readonly gasLimit?: unknown
  readonly blockAccessListHash?: unknown
  readonly slotNumber?: unknown
  readonly transactions?: unknown
  readonly from?: unknown
  readonly nonce?: unknown
  readonly to?: unknown
  readonly value?: unknown
  readonly input?: unknown
  readonly authorizationList?: unknown
  readonly accessList?: unknown
  readonly storageKeys?: unknown
  readonly chainId?: unknown
  readonly type?: unknown
  readonly gas?: unknown
  readonly gasPrice?: unknown
  readonly maxFeePerGas?: unknown
  readonly maxPriorityFeePerGas?: unknown
  readonly maxFeePerBlobGas?: unknown
  readonly blobVersionedHashes?: unknown
  readonly address?: unknown
  readonly yParity?: unknown
  readonly v?: unknown
  readonly r?: unknown
  readonly s?: unknown
}

function toObject(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null ? value : undefined
}
