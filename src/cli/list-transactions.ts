// rescind tx list: a relayer's transactions, newest first.
import { type Command, Option } from 'commander'
import type { TransactionView } from '../client/client.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { ether, table } from './format.ts'
import { wholeNumber } from './options.ts'

interface Options extends RelayerOptions {
  readonly json?: true
  readonly status?: TransactionView['status']
  readonly page: number
  readonly perPage: number
}

const statuses = ['pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired']

export function addListTransactions(tx: Command, act: Act): void {
  relayerCommand(tx, 'list', 'list transactions, newest first')
    .addOption(new Option('--status <status>', 'only those with this status').choices(statuses))
    .option('--page <number>', 'the page, from 1', wholeNumber('--page', 1), 1)
    .option('--per-page <number>', 'transactions on a page, at most 100', wholeNumber('--per-page', 1, 100), 20)
    .action(act(listTransactions))
}

async function listTransactions({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const { page, perPage, status } = options
  const { items, total } = await client.transactions(relayer, { page, perPage, ...(status && { status }) })
  if (options.json) {
    terminal.printJson(items)
    return exits.done
  }
  const rows = items.map((each) => [each.id, each.status, each.nonce, ether(each.value), each.to, each.created_at])
  for (const line of table(['ID', 'STATUS', 'NONCE', 'VALUE', 'TO', 'CREATED'], rows)) terminal.print(line)
  if (total > items.length) terminal.say(`page ${page} of ${Math.ceil(total / perPage)}, ${total} transactions`)
  return exits.done
}
