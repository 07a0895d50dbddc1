// rescind bulk list and show: the history of bulk cancellations, and one with its relayers and transactions.
import type { BulkTransactionView } from '../client/client.ts'
import type { Around } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { bulkPairs, canceledBy, costOf, partLines, safeWords } from './explain-bulk.ts'
import { ether, etherAtLeast, pairs, table } from './format.ts'

interface ListOptions extends ServiceOptions {
  readonly json?: true
  readonly page: number
  readonly perPage: number
}

export async function listBulks({ life, terminal }: Around, options: ListOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { page, perPage } = options
  const { items, total } = await client.bulkCancellations({ page, perPage })
  if (options.json) {
    terminal.printJson(items)
    return exits.done
  }
  const rows = items.map((bulk) => [
    ...[bulk.id, bulk.requested_at, bulk.name, bulk.every_relayer ? 'all' : bulk.relayers.length],
    ...[canceledBy(bulk.counts), bulk.counts.racing, bulk.counts.lost + bulk.counts.external, costOf(bulk)],
    ...[safeWords(bulk.counts), bulk.final ? 'yes' : 'no'],
  ])
  const head = ['ID', 'REQUESTED', 'NAME', 'RELAYERS', 'CANCELED', 'RACING', 'LOST', 'COST', 'SAFE TO RETRY', 'FINAL']
  for (const line of table(head, rows)) terminal.print(line)
  if (total > items.length) terminal.say(`page ${page} of ${Math.ceil(total / perPage)}, ${total} bulk cancellations`)
  return exits.done
}

interface ShowOptions extends ServiceOptions {
  readonly json?: true
  readonly transactions?: true
}

export async function showBulk({ life, terminal }: Around, id: string, options: ShowOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const bulk = await client.bulkCancellation(id)
  const items: BulkTransactionView[] = []
  for (let page = 1; options.transactions; page += 1) {
    const read = await client.bulkCancellationTransactions(id, { page, perPage })
    items.push(...read.items)
    if (read.items.length < perPage) break
  }
  if (options.json) {
    terminal.printJson({ ...bulk, ...(options.transactions && { transactions: items }) })
    return exits.done
  }
  for (const line of [...pairs(bulkPairs(bulk)), '', ...partLines(bulk)]) terminal.print(line)
  if (options.transactions) for (const line of ['', ...transactionLines(items)]) terminal.print(line)
  return exits.done
}

const perPage = 1_000

function transactionLines(items: readonly BulkTransactionView[]): readonly string[] {
  const isLimited = items.some(({ cancellation: { cost_max: share } }) => share !== undefined)
  const rows = items.map(({ transaction: { id, relayer_id: relayer, nonce }, cancellation }) => [
    ...[id, relayer, nonce, cancellation.state, cancellation.final ? 'yes' : 'no'],
    ...[cancellation.safe_to_retry ? 'yes' : 'no', cancellation.winner?.hash],
    ...(isLimited ? [shown(cancellation.cost, ether), shown(cancellation.cost_max, etherAtLeast)] : []),
  ])
  const head = ['TRANSACTION', 'RELAYER', 'NONCE', 'VERDICT', 'FINAL', 'SAFE TO RETRY', 'WINNER']
  return table([...head, ...(isLimited ? ['COST', 'SHARE'] : [])], rows)
}

function shown(wei: string | undefined, show: (wei: string) => string): string | undefined {
  return wei === undefined ? undefined : show(wei)
}
