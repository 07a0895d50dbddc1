// rescind gaps permit: more gap fillers than the limit of an hour, once an operator has compared nonces.
import type { Command } from 'commander'
import { type Act, type Around, serviceCommand, wholeNumber } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'

interface PermitOptions extends RelayerOptions {
  readonly count: number
  readonly for: number
}

export function addGaps(program: Command, act: Act): void {
  const gaps = program.command('gaps').description('nonces that no transaction uses, and the no-ops that fill them')
  serviceCommand(gaps, 'permit', 'permit more gap fillers than the limit of an hour; each costs a no-op')
    .option('-r, --relayer <id>', 'the relayer (default: the only one that the key sees)')
    .requiredOption('--count <number>', 'how many, at most 5000', wholeNumber('--count', 1, 5_000))
    .option('--for <seconds>', 'how long the permit is valid, at most 86400', wholeNumber('--for', 1, 86_400), 3_600)
    .action(act(permitGapFillers))
}

async function permitGapFillers({ life, terminal }: Around, options: PermitOptions): Promise<Exit> {
  const { client, relayer } = await connectToRelayer(life, options)
  const permit = await client.permitGapFillers(relayer, { count: options.count, valid_for_seconds: options.for })
  terminal.show(options, permit, () => [`${relayer} may fill ${permit.count} more nonces until ${permit.valid_until}`])
  return exits.done
}
