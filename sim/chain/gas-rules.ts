// The gas of a transaction: as measured on geth where a fork changes it while the service runs, and a constant elsewhere.
import type { SendRequest } from '../../src/domain/submit.ts'
import { amsterdamRules, floorOf, intrinsicOf, type NodeRules, osakaRules } from '../../tooling/gas-rules.ts'
import { isNoOp, listedIn, type SimTransaction } from './transaction.ts'

/** Absent: the chain has no fork. */
export type GasRules = NodeRules | undefined

export type Form = Pick<SimTransaction, 'from' | 'to' | 'value' | 'data' | 'listed'>

export function formOf(from: string, { to, value, data, accessList }: SendRequest): Form {
  return { from, to: to?.toLowerCase() ?? '0x', value, data, listed: listedIn(accessList) }
}

/** `forkAt`: the first block with the new rules; infinite while none is near. */
export function gasRulesAt(number: number, forkAt: number | undefined): GasRules {
  if (forkAt === undefined) return undefined
  return number < forkAt ? osakaRules : amsterdamRules
}

export function isForked(rules: GasRules): boolean {
  return rules === amsterdamRules
}

/** What a node demands of its limit, and what its execution takes. */
export function gasOf(form: Form, rules: GasRules): number {
  if (!rules) return gasWithoutFork(form)
  return Math.max(intrinsicOf(form, rules) + gasOfList(form, rules), floorOf(form, rules))
}

/** The gas of a creation beyond that of a call: 32,000, and 1,000 for the words of its code and the bytes of its contract. */
export const creationGas = 33_000

function gasWithoutFork(form: Form): number {
  if (isNoOp(form) || form.data === '0x') return 21_000
  return form.to === '0x' ? 21_400 + creationGas : 21_400
}

/** The least and the most by the rules on both sides of a fork, or on this side while the other is far. */
export function gasAround(form: Form, forkAt: number | undefined): { readonly least: number; readonly most: number } {
  const sides =
    forkAt === undefined ? [undefined] : Number.isFinite(forkAt) ? [osakaRules, amsterdamRules] : [osakaRules]
  const each = sides.map((rules) => gasOf(form, rules))
  return { least: Math.min(...each), most: Math.max(...each) }
}

function gasOfList({ listed: { addresses, keys } }: Form, rules: NodeRules): number {
  return isForked(rules) ? 4_180 * addresses + 4_048 * keys : 2_400 * addresses + 1_900 * keys
}

/** geth's estimates are exact where there is data, 21,000 without it, and somewhat too high where one run does not show the need. */
export function estimateOf(form: Form, isNewReceiver: boolean, rules: GasRules): number {
  const needed = gasOf(form, rules)
  if (!rules) return form.data === '0x' ? 21_000 : needed
  if (isNewReceiver && form.value > 0n && rules.newAccount > 0) return Math.ceil((needed + rules.newAccount) * 1.013)
  return form.data === '0x' ? Math.max(21_000, needed) : needed
}

const words: Readonly<Record<string, string>> = {
  nethermind: 'gas limit below intrinsic gas',
  besu: 'intrinsic gas exceeds gas limit',
  anvil: 'intrinsic gas too high -- call gas cost exceeds the gas limit',
}

/** The client's words for a call with too little gas. Undefined if `gas` suffices. */
export function refusalOfCall(client: string, form: Form, gas: number, rules: GasRules): string | undefined {
  const needed = gasOf(form, rules)
  if (gas >= needed) return undefined
  return words[client] ?? `intrinsic gas too low: have ${gas}, want ${needed}`
}
