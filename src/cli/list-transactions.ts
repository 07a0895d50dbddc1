// rescind tx list: a relayer's transactions, newest first, each with its verdict and its reason.
import { type Command, Option } from 'commander'
import type { ListedTraceView, TransactionView } from '../client/client.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, table } from './format.ts'
import { wholeNumber } from './options.ts'
import { stateOf } from './verdict.ts'

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
  const { items, total } = await client.traces(relayer, { page, perPage, ...(status && { status }) })
  if (options.json) {
    terminal.printJson(items.map(({ transaction, ...more }) => ({ ...transaction, ...more })))
    return exits.done
  }
  const [titles = '', ...lines] = table(head, items.map(row))
  terminal.print(titles)
  for (const [index, line] of lines.entries()) {
    const color = items[index] && stateOf(items[index]).color
    terminal.print(color === undefined ? line : terminal.paint(color, line))
  }
  if (total > items.length) terminal.say(`page ${page} of ${Math.ceil(total / perPage)}, ${total} transactions`)
  return exits.done
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
