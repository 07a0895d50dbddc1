// rescind tx list: a relayer's transactions, newest first.
import type { Command } from 'commander'
import type { ApiPage } from '../client/client.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { ether, table } from './format.ts'
import { addFilterOptions, type FilterOptions, filterOf } from './list-filter.ts'
import { wholeNumber } from './options.ts'

interface Options extends RelayerOptions, FilterOptions {
  readonly json?: true
  readonly page?: number
  readonly perPage: number
}

export function addListTransactions(tx: Command, act: Act): void {
  addFilterOptions(relayerCommand(tx, 'list', 'list transactions, newest first'))
    .option('--page <number>', 'the page, from 1', wholeNumber('--page', 1))
    .option('--per-page <number>', 'transactions on a page, at most 100', wholeNumber('--per-page', 1, 100), 20)
    .action(act(listTransactions))
}

async function listTransactions({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const { page, perPage } = options
  const listed = await client.transactions(relayer, {
    ...{ perPage, ...filterOf(options) },
    ...(page !== undefined && { page }),
  })
  const { items, total } = listed
  if (options.json) {
    terminal.printJson(items)
    return exits.done
  }
  const rows = items.map((each) => [each.id, each.status, each.nonce, ether(each.value), each.to, each.created_at])
  for (const line of table(['ID', 'STATUS', 'NONCE', 'VALUE', 'TO', 'CREATED'], rows)) terminal.print(line)
  if (total > items.length || listed.next !== undefined) terminal.say(positionIn(listed, options))
  return exits.done
}

/** Where the page is, and how the list goes on. */
function positionIn({ total, isAtLeast, next }: ApiPage<unknown>, { page = 1, perPage, before }: Options): string {
  const counted = `${isAtLeast ? 'at least ' : ''}${total} transactions`
  const pages = before === undefined ? `page ${page} of ${Math.max(1, Math.ceil(total / perPage))}, ` : ''
  return `${pages}${counted}${next === undefined ? '' : `; for older ones: --before ${next}`}`
}
