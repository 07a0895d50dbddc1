// What the demo prints: calm text, in colour only on a terminal.
import { stripVTControlCharacters, styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Plain where stdout is no terminal, or where NO_COLOR is set. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

export function heading(text: string): void {
  say()
  say(styled('bold', text))
}

/** What happened, indented under its heading. */
export function print(text: string): void {
  say(`  ${text}`)
}

/** Why it is safe. */
export function because(text: string): void {
  say(styled('dim', `  ${text}`))
}

/** Left-aligned columns, two spaces apart; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): void {
  const visible = (cell: string) => stripVTControlCharacters(cell).length
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => visible(row[column] ?? ''))))
  for (const [index, row] of rows.entries()) {
    const line = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visible(cell))).join('  ')
    say(`  ${index === 0 ? styled('dim', line.trimEnd()) : line.trimEnd()}`)
  }
}

/** A hash whole where there is room for it, or where a program reads along. */
export function shortHash(hash: string): string {
  const columns = process.stdout.columns
  return columns === undefined || columns >= 150 ? hash : `${hash.slice(0, 10)}…${hash.slice(-6)}`
}

export function ether(wei: bigint): string {
  const fraction = (wei % 10n ** 18n).toString().padStart(18, '0').replace(/0+$/, '')
  return `${wei / 10n ** 18n}${fraction === '' ? '' : `.${fraction}`} ETH`
}
