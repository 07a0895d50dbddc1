// rescind tx list: a relayer's transactions, newest first, each with its verdict and its reason.
import type { Command } from 'commander'
import type { ApiPage, ListedTraceView } from '../client/client.ts'
import { type Act, type Around, relayerCommand, wholeNumber } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, table } from './format.ts'
import { addFilterOptions, type FilterOptions, filterOf } from './list-filter.ts'
import { stateOf } from './verdict.ts'

interface Options extends RelayerOptions, FilterOptions {
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
  const { client, relayer } = await connectToRelayer(life, options)
  const { page, perPage } = options
  const listed = await client.traces(relayer, {
    ...{ perPage, ...filterOf(options) },
    ...(page !== undefined && { page }),
  })
  const { items, total } = listed
  const [titles = '', ...lines] = table(head, items.map(row))
  const painted = lines.map((line, index) => {
    const color = items[index] && stateOf(items[index]).color
    return color === undefined ? line : terminal.paint(color, line)
  })
  const all = items.map(({ transaction, ...more }) => ({ ...transaction, ...more }))
  terminal.show(options, all, () => [titles, ...painted])
  if (!options.json && (total > items.length || listed.next !== undefined)) terminal.say(positionIn(listed, options))
  return exits.done
}

/** Where the page is, and how the list goes on. */
function positionIn({ total, isAtLeast, next }: ApiPage<unknown>, { page = 1, perPage, before }: Options): string {
  const counted = `${isAtLeast ? 'at least ' : ''}${total} transactions`
  const pages = before === undefined ? `page ${page} of ${Math.max(1, Math.ceil(total / perPage))}, ` : ''
  return `${pages}${counted}${next === undefined ? '' : `; for older ones: --before ${next}`}`
}

const head = ['ID', 'STATE', 'NONCE', 'VALUE', 'TO', 'CREATED', 'REASON']

function row(trace: ListedTraceView): readonly Cell[] {
  const { id, nonce, value, to, created_at: createdAt, status_reason: reason } = trace.transaction
  return [id, stateOf(trace).word, nonce, ether(value), to, createdAt, reason && clipped(reason)]
}

/** One line a transaction: `tx get` has all of it. */
const reasonCharactersMax = 72

function clipped(reason: string): string {
  return reason.length <= reasonCharactersMax ? reason : `${reason.slice(0, reasonCharactersMax - 1)}…`
}
