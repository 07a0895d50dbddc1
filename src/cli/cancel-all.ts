// rescind cancel --all: the preview, the question, the bulk cancellation, and the verdicts on transactions in flight.
import type { CancellationPreviewView, CancellationView, Client } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import type { Around } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { CommandError, type Exit, exits, usage } from './exits.ts'
import { ether, pairs } from './format.ts'
import type { Terminal } from './terminal.ts'
import { exitOf, explain, verdictOn } from './verdict.ts'

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
  const preview = await client.previewCancellation(relayer)
  if (!options.yes) await confirm(terminal, relayer, preview)

  const inFlight = preview.no_ops + preview.gaps + preview.too_late
  const bulk = await client.cancelPending(relayer)
  const { queued_for_cancellation_transaction_ids: ids, failed_to_queue_transaction_ids: failed } = bulk
  // The lowest nonces come first; some may have got theirs since the preview.
  const judged = ids.slice(0, inFlight + 20)
  const verdicts = await judge(around, client, relayer, judged, (options.wait ?? 0) * 1000)
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
  const {
    free,
    no_ops: noOps,
    gaps,
    racing,
    over_cap: overCap,
    cost,
    balance,
    balance_covers: covers,
    window,
  } = preview
  const lines = pairs([
    ['relayer', relayer],
    ['free to cancel', free],
    ['need a no-op', noOps + gaps],
    ['no-ops over the price cap', overCap || undefined],
    ['canceled before, still racing', racing || undefined],
    ['cost at most, at present', ether(cost.today)],
    ['cost at most, under the cap', cost.max === undefined ? undefined : ether(cost.max)],
    ['how many may be in flight', window && mayFly(window)],
    [`cost of ${window?.most} no-ops, at present`, window && ether(window.cost.today)],
    ['balance', `${ether(balance)}${covers.today ? '' : ', which does not cover this cost'}`],
  ])
  for (const line of lines) terminal.say(line)
  if (!terminal.isInteractive) throw usage('--all needs an answer, and here is no terminal; add --yes')
  const answer = await terminal.ask(`Cancel everything pending of ${relayer}? [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(exits.error, 'nothing was canceled')
}

function mayFly({ present, most }: NonNullable<CancellationPreviewView['window']>): string {
  if (present === undefined) return `at most ${most}`
  return present === most ? `${most}` : `${present} now, at most ${most}`
}

/** The verdicts on these transactions; waits up to `waitMs` until all are final. */
async function judge(
  { life, terminal }: Around,
  client: Client,
  relayer: string,
  ids: readonly string[],
  waitMs: number,
): Promise<readonly CancellationView[]> {
  const end = systemClock.elapsed() + waitMs
  const verdicts = new Map<string, CancellationView>()
  for (;;) {
    for (const id of ids) {
      if (verdicts.get(id)?.final) continue
      const verdict = await verdictOn(client, relayer, id)
      if (verdict) verdicts.set(id, verdict)
    }
    const all = [...verdicts.values()]
    const open = all.filter(({ final }) => !final).length
    const leftMs = end - systemClock.elapsed()
    if (open === 0 || leftMs <= 0 || life.stop.aborted) return all
    terminal.progress(`${open} of ${all.length} not final; waiting ${Math.ceil(leftMs / 1000)} s more`)
    await systemClock.sleep(Math.min(1_000, leftMs), life.stop)
  }
}
