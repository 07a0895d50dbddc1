// What the commands share: their surroundings, the options of those that call the service, and parsers of options.
import type { Command } from 'commander'
import type { ServiceOptions } from './connect.ts'
import { type Exit, usage } from './exits.ts'
import type { CommandLife, Terminal } from './terminal.ts'

export interface Around {
  readonly life: CommandLife
  readonly terminal: Terminal
}

/** Turns a command's function into an action that reports its exit code. */
export type Act = <A extends readonly unknown[]>(
  run: (around: Around, ...args: A) => Promise<Exit>,
) => (...args: A) => Promise<void>

/** The options of every command that calls the service. */
export function serviceCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--url <url>', 'address of the service (default: RESCIND_URL, else http://127.0.0.1 with APP_PORT or 8080)')
    .option('--json', 'print JSON')
}

/** The options of a command about one relayer: those of `serviceCommand`, and `--relayer`. */
export function relayerCommand(parent: Command, name: string, description: string): Command {
  return serviceCommand(parent, name, description).option(
    '-r, --relayer <id>',
    'the relayer (default: the only one that there is)',
  )
}

export interface PageOptions extends ServiceOptions {
  readonly page: number
  readonly perPage: number
}

/** The options of a command that lists a page of `what`. */
export function addPaging(command: Command, what: string): Command {
  return command
    .option('--page <number>', 'the page, from 1', wholeNumber('--page', 1), 1)
    .option('--per-page <number>', `${what} on a page, at most 100`, wholeNumber('--per-page', 1, 100), 20)
}

/** Which page of `what` it was, where there are more. */
export function pageLine({ page, perPage }: PageOptions, total: number, what: string): string {
  return `page ${page} of ${Math.ceil(total / perPage)}, ${total} ${what}`
}

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
