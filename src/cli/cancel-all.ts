// rescind cancel --all: the preview and the question, unless --yes is there; the bulk cancellation, and its verdicts.
import type { CancellationPreviewView, CancellationView, Client } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import type { Around } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, pairs } from './format.ts'
import { requireYes, undecided, undecidedIfStored } from './require-yes.ts'
import type { Terminal } from './terminal.ts'
import { exitOf, explain } from './verdict.ts'

export interface CancelOptions extends RelayerOptions {
  readonly json?: true
  readonly wait?: number
  readonly all?: true
  readonly yes?: true
}

export async function cancelAll(around: Around, options: CancelOptions): Promise<Exit> {
  const { life, terminal } = around
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  // The preview reads the chain, and with --yes the cancellation waits for no chain.
  if (!options.yes) await confirm(terminal, relayer, await client.previewCancellation(relayer))

  const from = await firstNonce(client, relayer)
  const bulk = await client.cancelPending(relayer).catch((error: unknown) => {
    throw undecidedIfStored(error, life.stop, 'run it again: canceling twice changes nothing')
  })
  const { queued_for_cancellation_transaction_ids: ids, failed_to_queue_transaction_ids: failed } = bulk
  const judging = judge(around, { client, relayer, from }, new Set(ids), (options.wait ?? 0) * 1000)
  const verdicts = await judging.catch((error: unknown) => {
    throw undecided(error, life.stop, `the cancellation of ${ids.length} is stored; "rescind tx get" shows a verdict`)
  })
  const open = verdicts.filter(({ final }) => !final)
  const lost = verdicts.filter((verdict) => exitOf(verdict) === exits.lost)
  if (options.json) terminal.printJson({ ...bulk, verdicts })
  else {
    const counts = [
      ['relayer', relayer],
      ['canceled', ids.length],
      ['failed', failed.length],
      ['undecided', open.length],
      ['lost', lost.length],
      ['cost', costOf(verdicts)],
      ['safe to retry', safeToRetry(ids.length, verdicts)],
    ] as const
    for (const line of pairs(counts)) terminal.print(line)
  }
  for (const verdict of [...lost, ...open]) terminal.say(`rescind: ${verdict.transaction_id}: ${explain(verdict)}`)
  for (const id of failed) terminal.say(`rescind: ${id} could not be canceled`)
  if (failed.length > 0) return exits.error
  if (lost.length > 0) return exits.lost
  return open.length > 0 ? exits.undecided : exits.done
}

async function confirm(terminal: Terminal, relayer: string, preview: CancellationPreviewView): Promise<void> {
  const { free, no_ops: noOps, gaps, racing, too_late: tooLate } = preview
  if (free + noOps + gaps + tooLate === 0) return
  const lines = pairs([
    ['relayer', relayer],
    ['free to cancel', free],
    ['need a no-op', noOps + gaps],
    ['no-ops over the price cap', preview.over_cap || undefined],
    ['canceled before, still racing', racing || undefined],
    ['too late to cancel', tooLate || undefined],
    ...amounts(preview),
  ])
  for (const line of lines) terminal.say(line)
  if (!preview.cost) terminal.say(withoutNode)
  await requireYes(terminal, {
    needsAnswer: '--all',
    question: `Cancel everything pending of ${relayer}?`,
    otherwise: 'nothing was canceled',
  })
}

const withoutNode =
  'No node answers, so neither the cost nor the balance can be shown. You can cancel all the same: no-ops are signed as soon as a node answers.'

type Pair = readonly [name: string, value: Cell]

/** Every amount needs the chain, so all are absent where no node answers. */
function amounts({ cost, balance, balance_covers: covers, window }: CancellationPreviewView): readonly Pair[] {
  if (!cost || balance === undefined) return []
  return [
    ['cost at most, at present', ether(cost.today)],
    ['cost at most, under the cap', cost.max === undefined ? undefined : ether(cost.max)],
    ['how many may be in flight', window && mayFly(window)],
    [`cost of ${window?.most} no-ops, at present`, window && ether(window.cost.today)],
    ['balance', `${ether(balance)}${covers?.today === false ? ', which does not cover this cost' : ''}`],
  ]
}

function mayFly({ present, most }: NonNullable<CancellationPreviewView['window']>): string {
  if (present === undefined) return `at most ${most}`
  return present === most ? `${most}` : `${present} now, at most ${most}`
}

/** The cost of the mined no-ops. One may be mined and not final, and another take its place. */
function costOf(verdicts: readonly CancellationView[]): string {
  const sum = verdicts.reduce((wei, { cost }) => wei + BigInt(cost ?? 0), 0n)
  const unknown = verdicts.filter(({ cost }) => cost === undefined).length
  const soFar = verdicts.some(({ final }) => !final) ? ' so far' : ''
  return `${ether(String(sum))}${soFar}${unknown > 0 ? `, without ${unknown} whose cost no node reported` : ''}`
}

/** Words for the transactions that are safe to retry. One without a verdict here never had a nonce. */
function safeToRetry(all: number, verdicts: readonly CancellationView[]): string {
  const safe = all - verdicts.filter((verdict) => !verdict.safe_to_retry).length
  return safe === all ? 'yes' : `${safe} of ${all}`
}

interface Judged {
  readonly client: Client
  readonly relayer: string
  /** A nonce below all that are canceled, as of before. */
  readonly from: number | undefined
}

/** The verdicts on those that have a nonce: the others ended in the commit of the request. Waits up to `waitMs` until all are final. */
async function judge(
  { life, terminal }: Around,
  { client, relayer, from }: Judged,
  ids: ReadonlySet<string>,
  waitMs: number,
): Promise<readonly CancellationView[]> {
  const end = systemClock.elapsed() + waitMs
  const verdicts = new Map<string, CancellationView>()
  if (ids.size === 0) return []
  let next = from
  for (;;) {
    const read = await verdictsFrom(client, relayer, next)
    for (const { verdict } of read) if (ids.has(verdict.transaction_id)) verdicts.set(verdict.transaction_id, verdict)
    const open = read.filter(({ verdict }) => ids.has(verdict.transaction_id) && !verdict.final)
    const leftMs = end - systemClock.elapsed()
    if (open.length === 0 || leftMs <= 0 || life.stop.aborted) return [...verdicts.values()]
    next = open[0]?.nonce ?? next
    terminal.progress(`${open.length} of ${verdicts.size} not final; waiting ${Math.ceil(leftMs / 1000)} s more`)
    await systemClock.sleep(Math.min(1_000, leftMs), life.stop)
  }
}

/** A nonce at or below every open one, or the one that comes next. Undefined where it can't be read: no cancellation depends on it. */
async function firstNonce(client: Client, relayer: string): Promise<number | undefined> {
  try {
    const [first] = await client.nonces(relayer)
    return first?.transaction.nonce ?? 0
  } catch {
    return undefined
  }
}

interface ByNonce {
  readonly nonce: number
  readonly verdict: CancellationView
}

/** The verdicts on every nonce from `from` on, lowest first; without it, from a few below the lowest open one on. */
async function verdictsFrom(client: Client, relayer: string, from?: number): Promise<readonly ByNonce[]> {
  const all: ByNonce[] = []
  for (let next = from; ; ) {
    const page = await client.nonces(relayer, next === undefined ? {} : { from: next })
    for (const { transaction, cancellation } of page) {
      const { nonce } = transaction
      if (nonce === undefined) continue
      next = nonce + 1
      if (cancellation) all.push({ nonce, verdict: cancellation })
    }
    if (page.length < pageSize) return all
  }
}

/** The size of the API's pages: one with fewer is the last. */
const pageSize = 100
