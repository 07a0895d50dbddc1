// Signed bytes as a node reads them: decoded once, with the sender that the signature proves.
import { createRequire } from 'node:module'
import {
  hexToBytes,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
  toHex,
} from 'viem'
import type { Address, Hash, Hex } from '../../src/domain/ids.ts'

export interface SimTransaction {
  readonly hash: Hash
  readonly raw: Hex
  readonly chainId: number
  /** In lower case, as all addresses here. */
  readonly from: string
  /** `0x`: it creates a contract. */
  readonly to: string
  readonly nonce: number
  readonly value: bigint
  readonly data: Hex
  /** How much its access list names. */
  readonly listed: Listed
  readonly gasLimit: number
  readonly cap: bigint
  readonly tip: bigint
  /** It comes from L1: nobody signed it, and it pays no gas. Its block gives it the nonce of its account. */
  readonly isDeposit?: true
}

export interface Listed {
  readonly addresses: number
  readonly keys: number
}

interface Recovery {
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: boolean): Uint8Array
}

const curve = createRequire(import.meta.url)('secp256k1') as Recovery
let known = new Map<string, SimTransaction>()
let shown = new Map<string, object>()

/** Between seeds: bytes of one seed mean nothing to another. */
export function forgetTransactions(): void {
  known = new Map()
  shown = new Map()
}

export function decode(raw: Hex): SimTransaction {
  const before = known.get(raw)
  if (before) return before
  const { r, s, v, yParity, ...unsigned } = parseTransaction(raw as `0x02${string}`) as unknown as Parsed
  const parity = unsigned.type === 'legacy' ? Number((v ?? 35n) - 35n) & 1 : (yParity ?? 0)
  const signature = new Uint8Array([...word(r), ...word(s)])
  const digest = hexToBytes(keccak256(serializeTransaction(unsigned as unknown as TransactionSerializable)))
  const key = curve.ecdsaRecover(signature, parity, digest, false)
  const decoded: SimTransaction = {
    hash: keccak256(raw),
    raw,
    chainId: unsigned.chainId,
    from: `0x${keccak256(key.slice(1)).slice(-40)}`,
    to: unsigned.to?.toLowerCase() ?? '0x',
    nonce: unsigned.nonce ?? 0,
    value: unsigned.value ?? 0n,
    data: unsigned.data ?? '0x',
    listed: listedIn(unsigned.accessList),
    gasLimit: Number(unsigned.gas ?? 0n),
    cap: unsigned.gasPrice ?? unsigned.maxFeePerGas ?? 0n,
    tip: unsigned.gasPrice ?? unsigned.maxPriorityFeePerGas ?? 0n,
  }
  known.set(raw, decoded)
  return decoded
}

interface Parsed {
  readonly type: string
  readonly chainId: number
  readonly r: Hex
  readonly s: Hex
  readonly v?: bigint
  readonly yParity?: number
  readonly to?: Hex
  readonly nonce?: number
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly accessList?: AccessList
}

type AccessList = readonly { readonly storageKeys: readonly unknown[] }[]

export function listedIn(list: AccessList = []): Listed {
  return { addresses: list.length, keys: list.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0) }
}

function word(hex: Hex): Uint8Array {
  return hexToBytes(toHex(BigInt(hex), { size: 32 }))
}

/** Value 0, to self, no data: what takes a nonce and does nothing. */
export function isNoOp({ from, to, value, data }: Pick<SimTransaction, 'from' | 'to' | 'value' | 'data'>): boolean {
  return from === to && value === 0n && data === '0x'
}

/** The number that a client's payload carries at the start of its data, so that the simulator recognizes its execution. */
export function tagOf({
  data,
  to,
}: Pick<SimTransaction, 'data'> & { readonly to?: string | null }): number | undefined {
  if (data.length >= 18) return Number.parseInt(data.slice(10, 18), 16)
  return isSweepReceiver(to) ? Number.parseInt(to.slice(-8), 16) : undefined
}

const sweepPrefix = '0x5eeb00000000000000000000000000'

/** A sweep has no data, so that its receiver carries the number. */
export function sweepReceiver(tag: number): Address {
  return `${sweepPrefix}${tag.toString(16).padStart(10, '0')}` as Address
}

export function isSweepReceiver(to: string | null | undefined): to is string {
  return to?.toLowerCase().startsWith(sweepPrefix) === true
}

/** Of a row: the numbers of its payload and of those that it replaced, oldest first, each once. */
export function tagsOf({ earlier, ...row }: TaggedRow & { readonly earlier: string | null }): readonly number[] {
  const replaced = earlier === null ? [] : (JSON.parse(earlier) as TaggedRow[])
  return [...new Set([...replaced, row].flatMap(({ data, to_address: to }) => tagOf({ data: data as Hex, to }) ?? []))]
}

interface TaggedRow {
  readonly data: string
  readonly to_address: string | null
}

export function taggedData(tag: number): Hex {
  return `0x5e11da7a${tag.toString(16).padStart(8, '0')}`
}

/** Code that creates a contract, whose code is the number. */
export function taggedCreation(tag: number): Hex {
  return `0x5b5b5b63${tag.toString(16).padStart(8, '0')}6000526004601cf3`
}

/** As a node shows what it holds, with its signature. */
export function transactionJson({
  hash,
  raw,
  from,
  to,
  nonce,
  value,
  data,
  gasLimit,
  cap,
  tip,
}: SimTransaction): object {
  const known = shown.get(raw)
  if (known) return known
  const parsed = parseTransaction(raw as `0x02${string}`) as unknown as Parsed
  const { type, chainId, r, s, v, yParity, accessList } = parsed
  const number = (each: bigint | number) => `0x${each.toString(16)}`
  const json = {
    ...{ hash, from, to: to === '0x' ? null : to, nonce: number(nonce), value: number(value), input: data },
    ...{ gas: number(gasLimit), chainId: number(chainId), r, s, v: number(v ?? yParity ?? 0) },
    type: number(['legacy', 'eip2930', 'eip1559'].indexOf(type)),
    ...(yParity !== undefined && type !== 'legacy' && { yParity: number(yParity) }),
    // Not as parsed: a price of 0 is left out there, and no node does that.
    gasPrice: number(cap),
    ...(type === 'eip1559' && { maxFeePerGas: number(cap), maxPriorityFeePerGas: number(tip) }),
    ...(type !== 'legacy' && { accessList: accessList ?? [] }),
  }
  shown.set(raw, json)
  return json
}

/** The fee for data on L1, in wei. `price` is the price of a byte. */
export function l1FeeOf({ raw }: Pick<SimTransaction, 'raw'>, price: bigint): bigint {
  return (BigInt(raw.length - 2) / 2n) * price
}

/** The contract that clients call. */
export const receiver = '0x00000000000000000000000000000000000c0de1'
/** The function that clients call there. */
export const payloadSelector = taggedData(0).slice(0, 10)
