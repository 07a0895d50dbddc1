// Amounts and tables, for people.
import { atLeastInEther, exactlyInEther, exactlyInGwei, inEther, inGwei } from '../domain/shown-amount.ts'
import { usage } from './exits.ts'
import { type Color, plain, type Terminal } from './terminal.ts'

const decimals: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 }

/** `1.5ether`, `20gwei` or `21000` (wei), as wei. Throws for anything else, with the name of its option. */
export function parseAmount(option: string, text: string): string {
  const [, whole = '', fraction = '', unit = 'wei'] = /^(\d+)(?:\.(\d+))?\s*(wei|gwei|ether)?$/.exec(text) ?? []
  const places = decimals[unit] ?? 0
  if (whole === '' || fraction.length > places) {
    throw usage(`${option}: "${text}" is no amount; write 1.5ether, 20gwei, or wei as a whole number`)
  }
  return BigInt(whole + fraction.padEnd(places, '0')).toString()
}

/** An amount of the API, which has wei as decimal text: three digits, for a reader who compares. `--json` has them all. */
export function ether(wei: string): string {
  return inEther(BigInt(wei))
}

/** Never less than the amount, and at most a hundredth more: for a payment. */
export function etherAtLeast(wei: string): string {
  return atLeastInEther(BigInt(wei))
}

/** A price of gas, the same way. */
export function gwei(wei: string | undefined): string | undefined {
  return wei === undefined ? undefined : inGwei(BigInt(wei))
}

/** An amount that a reader approves: wei, and ether with all its digits. */
export function exactEther(wei: string): string {
  return inBoth(wei, exactlyInEther)
}

export function exactGwei(wei: string | undefined): string | undefined {
  return wei === undefined ? undefined : inBoth(wei, exactlyInGwei)
}

function inBoth(wei: string, inWords: (wei: bigint) => string): string {
  return wei === '0' ? '0 wei' : `${wei} wei = ${inWords(BigInt(wei))}`
}

/** `1 relayer`, `2 relayers`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** A duration in one unit: `40 s`, `12 min`, `3 h`, `2 days`. */
export function about(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 100) return `${seconds} s`
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}

export type Cell = string | number | undefined

/** A head and its rows, in columns. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] {
  const lines = [head, ...rows.map((row) => row.map((cell) => plain(String(cell ?? '-'))))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Names and values, one pair a line; a pair without a value is left out. */
export function pairs(all: readonly (readonly [name: string, value: Cell])[]): readonly string[] {
  const shown = all.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`)
}

const colors: Readonly<Record<string, Color>> = {
  confirmed: 'green',
  failed: 'red',
  canceled: 'yellow',
  expired: 'yellow',
}

export function statusColor(status: string): Color | undefined {
  return colors[status]
}

export function paintStatus(terminal: Terminal, status: string): string {
  const color = statusColor(status)
  return color === undefined ? status : terminal.paint(color, status)
}

/** `path` as the API names it, at the service that answered. */
export function runbookAt(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`
}
