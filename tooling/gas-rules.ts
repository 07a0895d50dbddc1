// The gas of a transaction by the rules of two forks, as measured on geth with Osaka's and Amsterdam's (head of 20 August 2026). It
// has no part of the service in it, which tests compare with it.
import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'

export interface NodeRules {
  readonly base: 12_000 | 21_000
  readonly floor: 0 | 10 | 64
  readonly newAccount: number
}

export const osakaRules: NodeRules = { base: 21_000, floor: 10, newAccount: 0 }
export const amsterdamRules: NodeRules = { base: 12_000, floor: 64, newAccount: 183_600 }

export interface SentTransaction {
  readonly raw: string
  readonly hash: string
  readonly from: string
  readonly to: string | undefined
  readonly nonce: number
  readonly value: bigint
  readonly data: string
  readonly gas: number
  readonly feeCap: bigint
  readonly tip: bigint
}

export async function readSent(raw: `0x${string}`): Promise<SentTransaction> {
  const parsed = parseTransaction(raw)
  const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
  const cap = parsed.maxFeePerGas ?? parsed.gasPrice ?? 0n
  return {
    ...{ raw, hash: keccak256(raw), from: from.toLowerCase(), to: parsed.to?.toLowerCase() },
    ...{ nonce: parsed.nonce ?? 0, value: parsed.value ?? 0n, data: parsed.data ?? '0x', gas: Number(parsed.gas) },
    ...{ feeCap: cap, tip: parsed.maxPriorityFeePerGas ?? cap },
  }
}

type Form = Pick<SentTransaction, 'from' | 'to' | 'value' | 'data'>

function bytesOf(data: string): { readonly zeros: number; readonly others: number } {
  const bytes = data.slice(2).match(/../g) ?? []
  const zeros = bytes.filter((byte) => byte === '00').length
  return { zeros, others: bytes.length - zeros }
}

function startOf({ from, to, value }: Form, { base }: NodeRules): number {
  if (base === 21_000) return 21_000
  if (to === undefined) return 24_000
  if (to === from) return 12_000
  return value > 0n ? 21_000 : 15_000
}

export function intrinsicOf(form: Form, rules: NodeRules): number {
  const { zeros, others } = bytesOf(form.data)
  const creation = form.to === undefined && rules.base === 21_000 ? 32_000 : 0
  const words = form.to === undefined ? 2 * Math.ceil((zeros + others) / 32) : 0
  return startOf(form, rules) + creation + words + 4 * zeros + 16 * others
}

export function floorOf(form: Form, rules: NodeRules): number {
  const { zeros, others } = bytesOf(form.data)
  return startOf(form, rules) + rules.floor * zeros + (rules.floor === 64 ? 64 : 4 * rules.floor) * others
}

/** Beside `intrinsicOf`: the state of a new account, and the code of a contract, for which all but 32 bytes of the data stand. */
export function executionOf(form: Form, exists: boolean, rules: NodeRules): number {
  if (form.to === undefined) {
    const code = Math.max(0, (form.data.length - 2) / 2 - 32)
    return rules.newAccount === 0 ? 200 * code : 1_530 * code + rules.newAccount
  }
  return form.value > 0n && !exists && form.to !== form.from ? rules.newAccount : 0
}

/** A refusal in geth's words. */
export function refusalOf(form: Form & { readonly gas: number }, rules: NodeRules): string | undefined {
  const intrinsic = intrinsicOf(form, rules)
  if (form.gas < intrinsic) return `intrinsic gas too low: gas ${form.gas}, minimum needed ${intrinsic}`
  const floor = floorOf(form, rules)
  if (form.gas < floor) return `insufficient gas for floor data gas cost: gas ${form.gas}, minimum needed ${floor}`
  return undefined
}
