// rescind tx release: transactions on hold go into the queue, by their ids.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { table } from './format.ts'
import { undecidedIfStored } from './undecided.ts'

interface Options extends RelayerOptions {
  readonly json?: true
}

export function addReleaseTransactions(tx: Command, act: Act): void {
  relayerCommand(tx, 'release', 'release transactions on hold, in one commit')
    .argument('<ids...>', 'ids of the transactions')
    .action(act(releaseTransactions))
}

async function releaseTransactions({ life, terminal }: Around, ids: string[], options: Options): Promise<Exit> {
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const results = await client.releaseMany(relayer, ids).catch((error: unknown) => {
    throw undecidedIfStored(error, life.stop, 'run it again: a second release changes nothing')
  })
  if (options.json) terminal.printJson(results)
  else {
    const rows = results.map(({ transaction_id: id, result, message }) => [id, result.replaceAll('_', ' '), message])
    for (const line of table(['TRANSACTION', 'RESULT', 'WHY'], rows)) terminal.print(line)
  }
  const refused = results.filter(({ result }) => result === 'refused').length
  if (refused > 0) throw new CommandError(exits.refused, `${refused} of ${results.length} were refused`)
  return exits.done
}
