// Parsers of options.
import { usage } from './exits.ts'

/** For an option with a whole number within bounds. */
export function wholeNumber(option: string, min: number, max = 1_000_000_000): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,10}$/.test(text) && number >= min && number <= max) return number
    throw usage(`${option}: "${text}" is no whole number from ${min} to ${max}`)
  }
}

/** For the option of an address. The service checks a checksum. */
export function address(option: string): (text: string) => string {
  return (text) => {
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text
    throw usage(`${option}: "${text}" is no address; write 0x and 40 hex digits`)
  }
}

/** For an option that may stand several times, or have several values with commas. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').map((each) => each.trim())].filter((each) => each !== '')
}
