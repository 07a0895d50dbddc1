// rescind tx release: transactions on hold go into the queue, by their ids.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { CommandError, type Exit, exits, usage } from './exits.ts'
import { table } from './format.ts'
import { undecidedIfStored } from './require-yes.ts'

interface Options extends RelayerOptions {
  readonly digest?: string
}

export function addReleaseTransactions(tx: Command, act: Act): void {
  relayerCommand(tx, 'release', 'release transactions on hold, in one commit')
    .argument('<ids...>', 'ids of the transactions; under four eyes each as ID=DIGEST')
    .option('--digest <digest>', 'the payload_digest that `tx get` shows, for one transaction under four eyes')
    .action(act(releaseTransactions))
}

async function releaseTransactions({ life, terminal }: Around, ids: string[], options: Options): Promise<Exit> {
  const releases = releasesOf(ids, options)
  const { client, relayer } = await connectToRelayer(life, options)
  const results = await client.releaseMany(relayer, releases).catch((error: unknown) => {
    throw undecidedIfStored(error, life.stop, 'run it again: a second release changes nothing')
  })
  const rows = results.map(({ transaction_id: id, result, code, message }) => [
    ...[id, result.replaceAll('_', ' ')],
    code === undefined ? message : `${message} (${code})`,
  ])
  terminal.show(options, results, () => table(['TRANSACTION', 'RESULT', 'WHY'], rows))
  const refused = results.filter(({ result }) => result === 'refused').length
  if (refused > 0) throw new CommandError(exits.refused, `${refused} of ${results.length} were refused`)
  return exits.done
}

/** A digest is of one payload, so `--digest` goes with one id. */
function releasesOf(ids: readonly string[], { digest }: Options) {
  if (digest !== undefined && (ids.length > 1 || ids[0]?.includes('='))) {
    throw usage('--digest: goes with one id; write several as ID=DIGEST')
  }
  return ids.map((each) => {
    const [id = '', own = digest] = each.split('=')
    return { id, ...(own !== undefined && { payload_digest: own }) }
  })
}
