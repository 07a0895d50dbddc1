// Reads bulk cancellations, explains them, and watches one until its verdicts are final.
import type { BulkHeadView, BulkTransactionView, BulkView, Client } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { systemClock } from '../ops/clock.ts'
import { filterWords, limitWords } from '../words/bulk.ts'
import { refusedLines, refusedPairs } from './bulk-options.ts'
import { type Around, type PageOptions, pageLine } from './command.ts'
import { connect, readAll, type ServiceOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, counted, ether, etherAtLeast, pairs, table } from './format.ts'

export async function listBulks({ life, terminal }: Around, options: PageOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { page, perPage } = options
  const { items, total } = await client.bulkCancellations({ page, perPage })
  const rows = items.map((bulk) => [
    ...[bulk.id, bulk.requested_at, bulk.name, bulk.every_relayer ? 'all' : bulk.relayers.length],
    ...[canceledBy(bulk.counts), bulk.counts.racing, bulk.counts.lost + bulk.counts.external, costOf(bulk)],
    ...[safeWords(bulk.counts), bulk.final ? 'yes' : 'no'],
  ])
  const head = ['ID', 'REQUESTED', 'NAME', 'RELAYERS', 'CANCELED', 'RACING', 'LOST', 'COST', 'SAFE TO RETRY', 'FINAL']
  terminal.show(options, items, () => table(head, rows))
  if (!options.json && total > items.length) terminal.say(pageLine(options, total, 'bulk cancellations'))
  return exits.done
}

interface ShowOptions extends ServiceOptions {
  readonly transactions?: true
}

export async function showBulk({ life, terminal }: Around, id: string, options: ShowOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const bulk = await client.bulkCancellation(id)
  const transactions =
    options.transactions && (await readAll((page) => client.bulkCancellationTransactions(id, page), 1_000))
  terminal.show(options, { ...bulk, ...defined({ transactions }) }, () => [
    ...pairs(bulkPairs(bulk)),
    '',
    ...partLines(bulk),
    ...(transactions ? ['', ...transactionLines(transactions)] : []),
  ])
  return exits.done
}

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

/** 0 only if no payload that it canceled can execute any more, and every match was canceled. */
export function exitOfBulk({ final, counts }: BulkHeadView): Exit {
  if (counts.refused > 0) return exits.error
  if (counts.lost + counts.external > 0 && final) return exits.lost
  return final && counts.safe_to_retry === 'all' ? exits.done : exits.undecided
}

function canceledBy({ dropped, racing, won, lost, external }: BulkHeadView['counts']): number {
  return dropped + racing + won + lost + external
}

function bulkPairs(bulk: BulkView): readonly (readonly [string, Cell])[] {
  const { counts } = bulk
  return [
    ['id', bulk.id],
    ['name', bulk.name],
    ['reason', bulk.reason],
    ['requested', bulk.requested_at],
    ['by', bulk.requested_by],
    ['filter', filterWords(bulk.filter)],
    ['limit', limitWords(bulk).join(', ') || undefined],
    ['relayers', bulk.every_relayer ? `all: ${bulk.relayers.join(', ')}` : bulk.relayers.join(', ')],
    ['paused them', bulk.pause ? 'yes' : undefined],
    ['canceled', canceledBy(counts)],
    ['dropped, free', counts.dropped],
    ['racing', counts.racing],
    ['won', counts.won],
    ['lost', counts.lost],
    ['external', counts.external],
    ['canceled before', counts.already || undefined],
    ['refused', counts.refused || undefined],
    ...refusedPairs(bulk),
    ['not final', counts.not_final],
    ['cost', costOf(bulk)],
    ['cost at most', costMaxOf(bulk)],
    ['safe to retry', safeWords(counts)],
    ['final', bulk.final_at ?? 'no'],
  ]
}

function costOf({ counts: { cost, cost_unknown: unknown }, final }: BulkHeadView): string {
  return `${ether(cost)}${final ? '' : ' so far'}${unknown > 0 ? `, without ${unknown} whose cost no node reported` : ''}`
}

/** The sum of the shares, once each relayer has stopped. Undefined without a limit of cost. */
function costMaxOf({ parts }: BulkView): string | undefined {
  const shares = parts.flatMap(({ cost_max: share }) => (share === undefined ? [] : [BigInt(share)]))
  return shares.length === 0 ? undefined : etherAtLeast(String(shares.reduce((sum, each) => sum + each)))
}

function safeWords(counts: BulkHeadView['counts']): string {
  const { safe_to_retry: safe } = counts
  return safe === 'all' ? 'yes' : `${safe} of ${canceledBy(counts)}`
}

/** One line for each relayer, and one for each refused match. */
function partLines(bulk: BulkView): readonly string[] {
  const { parts } = bulk
  const isLimited = parts.some(({ cost_max: share }) => share !== undefined)
  const rows = parts.map(({ relayer_id: relayer, state, instant, counts, cost_max: share, final }) => [
    ...[relayer, state, instant, counts.dropped, counts.racing, counts.won],
    ...[counts.lost + counts.external, counts.refused, ether(counts.cost)],
    ...(isLimited ? [share === undefined ? undefined : etherAtLeast(share)] : []),
    final ? 'yes' : 'no',
  ])
  const head = [
    ...['RELAYER', 'STATE', 'INSTANT', 'DROPPED', 'RACING', 'WON', 'LOST', 'REFUSED', 'COST'],
    ...(isLimited ? ['AT MOST'] : []),
    'FINAL',
  ]
  return [...table(head, rows), ...refusedLines(bulk)]
}

/** One line about how far it is. */
export function progressOf(bulk: BulkView): string {
  const { counts, final, parts } = bulk
  const costMax = costMaxOf(bulk)
  const { dropped, racing, won, lost, external, refused } = counts
  const waiting = parts.filter(({ state }) => state === 'waiting').length
  return [
    `${canceledBy(counts)} canceled: ${dropped} dropped, ${racing} racing, ${won} won, ${lost} lost, ${external} external`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'relayer')} not stopped yet`] : []),
    ...(costMax === undefined ? [] : [`cost ${costOf(bulk)}, at most ${costMax}`]),
    final ? 'final' : `${counts.not_final} not final`,
  ].join('; ')
}

/** For the reader of an exit code that is not 0, and of matches that belong to another cancellation. */
export function warningsOf(bulk: BulkView): readonly string[] {
  const { counts, final, parts } = bulk
  const waiting = parts.filter(({ state }) => state === 'waiting').map(({ relayer_id: id }) => id)
  const gone = counts.lost + counts.external
  return [
    ...(waiting.length > 0 ? [`not stopped yet, and the service goes on trying: ${waiting.join(', ')}`] : []),
    ...(counts.refused > 0
      ? [`${counted(counts.refused, 'match was', 'matches were')} not canceled: "rescind bulk show ${bulk.id}"`]
      : []),
    ...(gone > 0
      ? [`${gone} ended with another transaction in the nonce: "rescind bulk show ${bulk.id} --transactions"`]
      : []),
    ...(counts.already > 0 ? [alreadyWords(counts.already)] : []),
    ...(final ? [] : ['undecided: not every verdict is final']),
  ]
}

function alreadyWords(count: number): string {
  const [were, are, their] = count === 1 ? ['match was', 'is', 'its'] : ['matches were', 'are', 'their']
  return `${count} ${were} canceled before, and ${are} not counted here: ${their} own cancellation has the verdict`
}

interface WatchOptions extends ServiceOptions {
  readonly timeout?: number
}

export async function watchBulk(
  around: Around,
  id: string,
  { json, timeout, ...options }: WatchOptions,
): Promise<Exit> {
  const { terminal, life } = around
  const { client } = await connect(life, options)
  const show = (bulk: BulkView) => terminal.print(json ? JSON.stringify(bulk) : progressOf(bulk))
  const bulk = await untilFinal(around, client, await client.bulkCancellation(id), timeout, show)
  if (!json) for (const line of pairs(bulkPairs(bulk))) terminal.print(line)
  for (const warning of warningsOf(bulk)) terminal.say(`rescind: ${warning}`)
  return exitOfBulk(bulk)
}

const everyMs = 1_000

/** Calls `show` with each state. Returns the last one, which is not final where the time was over first. Without seconds: for ever. */
export async function untilFinal(
  { life, terminal }: Around,
  client: Client,
  begun: BulkView,
  seconds: number | undefined,
  show: (bulk: BulkView) => void,
): Promise<BulkView> {
  const end = seconds === undefined ? undefined : systemClock.elapsed() + seconds * 1000
  let shown = ''
  for (let bulk = begun; ; bulk = await client.bulkCancellation(begun.id)) {
    const state = JSON.stringify(bulk)
    if (state !== shown) show(bulk)
    shown = state
    const leftMs = end === undefined ? everyMs : end - systemClock.elapsed()
    if (bulk.final || leftMs <= 0) return bulk
    terminal.progress(progressOf(bulk))
    await systemClock.sleep(Math.min(everyMs, leftMs), life.stop)
    life.stop.throwIfAborted()
  }
}
