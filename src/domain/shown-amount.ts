// Amounts as people read them: ether for amounts, gwei for prices of gas, three significant digits. Facts and JSON have every digit.
import type { Wei } from './units.ts'

/** The least amount shown in ether: a smaller one would be mostly zeros, so it is shown in gwei. */
const etherMin = 10n ** 12n
const significantDigits = 3

/** A payment is rounded up to the third digit, and to this one at most: whoever pays 101 ether for 100.0001 pays 0.9999 too much. */
const paymentDecimals = 4

interface ShownAmount {
  readonly figure: string
  readonly unit: 'ether' | 'gwei'
}

/** The amount rounded to three digits: `0.00123`, `1.5`, `10,000`. `up`: a payment, which has to suffice, as `100.0001`. */
export function shownAmount(wei: Wei, { up = false }: { readonly up?: boolean } = {}): ShownAmount {
  const unit = unitOf(wei)
  return { figure: rounded(wei, decimalsOf[unit], up), unit }
}

/** The amount with all its digits. */
export function exactAmount(wei: Wei): ShownAmount {
  const unit = unitOf(wei)
  return { figure: exact(wei, decimalsOf[unit]), unit }
}

/** `1.5 ether`, or `420 gwei` for a small one. */
export function inEther(wei: Wei): string {
  return words(shownAmount(wei))
}

/** The amount or more, by a hundredth of it and by 0.0001 at most. */
export function atLeastInEther(wei: Wei): string {
  return words(shownAmount(wei, { up: true }))
}

/** A price of gas: `2.85 gwei`. */
export function inGwei(wei: Wei): string {
  return `${rounded(wei, decimalsOf.gwei, false)} gwei`
}

/** The amount with all its digits, where two are compared that a client or an operator wrote. */
export function exactlyInEther(wei: Wei): string {
  return words(exactAmount(wei))
}

export function exactlyInGwei(wei: Wei): string {
  return `${exact(wei, decimalsOf.gwei)} gwei`
}

const decimalsOf = { ether: 18, gwei: 9 } as const

function unitOf(wei: Wei): ShownAmount['unit'] {
  return wei > 0n && wei < etherMin ? 'gwei' : 'ether'
}

function words({ figure, unit }: ShownAmount): string {
  return `${figure} ${unit}`
}

function exact(wei: Wei, decimals: number): string {
  const digits = wei.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** A whole part keeps all its digits. */
function rounded(wei: Wei, decimals: number, up: boolean): string {
  const most = up ? decimals - paymentDecimals : decimals
  const dropped = Math.min(most, Math.max(0, wei.toString().length - significantDigits))
  const step = 10n ** BigInt(dropped)
  return exact(((wei + (up ? step - 1n : step / 2n)) / step) * step, decimals)
}

/** Far above any supply: 10^60. Where there is no native token, nodes return such a number as the balance of every account. */
const balanceMax: Wei = 2n ** 200n

export const noBalanceText = 'this chain has no balance of its native token'

export function isNoBalance(balance: Wei): boolean {
  return balance > balanceMax
}
