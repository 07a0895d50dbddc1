// rescind acknowledge: an operator has seen a condition of a relayer.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'

interface Options extends RelayerOptions {
  readonly note?: string
  readonly withdraw?: true
}

export function addAcknowledge(program: Command, act: Act): void {
  relayerCommand(program, 'acknowledge', 'acknowledge a condition of a relayer, until it is over')
    .argument('<condition>', 'the condition, such as balance_short')
    .option('--note <text>', 'a note, shown beside the condition')
    .option('--withdraw', 'withdraw the acknowledgment')
    .action(act(acknowledge))
}

async function acknowledge({ life, terminal }: Around, condition: string, options: Options): Promise<Exit> {
  const { client, relayer } = await connectToRelayer(life, options)
  const { note, withdraw } = options
  const held = withdraw
    ? await client.withdrawAcknowledgment(relayer, condition)
    : await client.acknowledge(relayer, condition, note === undefined ? {} : { note })
  const state = withdraw ? 'no longer acknowledged' : 'acknowledged'
  terminal.show(options, held, () => [`${relayer}: ${condition} is ${state}`])
  return exits.done
}
