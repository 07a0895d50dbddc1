// What the commands share: their surroundings, and the options of those that call the service.
import type { Command } from 'commander'
import type { Exit } from './exits.ts'
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
