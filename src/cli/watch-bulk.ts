// rescind bulk watch: the progress of a bulk cancellation until every verdict is final.
import type { BulkView, Client } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import type { Around } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import type { Exit } from './exits.ts'
import { bulkPairs, exitOfBulk, progressOf, warningsOf } from './explain-bulk.ts'
import { pairs } from './format.ts'

interface WatchOptions extends ServiceOptions {
  readonly json?: true
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
