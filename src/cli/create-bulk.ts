// rescind bulk create and stop-everything: the number of matches and the question, unless --yes is there; then the object.
import type { BulkInput, BulkView, Client } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { freshId } from '../ops/fresh-id.ts'
import { systemRandom } from '../ops/random.ts'
import { type BulkFilterOptions, bulkFilterOf } from './bulk-filter.ts'
import { type BulkLimit, type BulkLimitOptions, bulkLimitOf } from './bulk-limit.ts'
import type { Around } from './command.ts'
import { confirmBulk } from './confirm-bulk.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, usage } from './exits.ts'
import { exitOfBulk, progressOf, warningsOf } from './explain-bulk.ts'
import { repeatUnderKey } from './repeat-under-key.ts'
import { undecided } from './undecided.ts'
import { untilFinal } from './watch-bulk.ts'

/** Of both commands. */
export interface BulkRequestOptions extends ServiceOptions, BulkLimitOptions {
  readonly json?: true
  readonly name?: string
  readonly reason?: string
  readonly idempotencyKey?: string
  readonly wait?: number
  readonly yes?: true
}

export interface CreateOptions extends BulkRequestOptions, BulkFilterOptions {
  readonly relayer?: readonly string[]
  readonly all?: true
  readonly pause?: true
}

export async function createBulk(around: Around, options: CreateOptions): Promise<Exit> {
  const { relayer: named = [], all } = options
  if (all && named.length > 0) throw usage('give --relayer or --all, not both')
  if (!all && named.length === 0) throw usage('name relayers with --relayer, or take all of them with --all')
  return request(around, options, {
    filter: bulkFilterOf(options),
    relayers: all ? 'all' : named,
    ...(options.pause && { pause: true }),
    ...bulkLimitOf(options),
  })
}

/** A command of its own: in an incident, help lists it, and no option is forgotten. */
export function stopEverything(around: Around, options: BulkRequestOptions): Promise<Exit> {
  return request(around, options, { filter: {}, relayers: 'all', pause: true, ...bulkLimitOf(options) })
}

type Scope = Pick<BulkInput, 'filter' | 'relayers' | 'pause'> & BulkLimit

async function request(around: Around, options: BulkRequestOptions, scope: Scope): Promise<Exit> {
  const { life, terminal } = around
  const { client } = await connect(life, options)
  // The counts need several readings, and with --yes the cancellation waits for none.
  if (!options.yes) await confirmBulk(terminal, client, scope)
  const { name, reason } = options
  const body = { ...scope, ...(name !== undefined && { name }), ...(reason !== undefined && { reason }) }
  const created = await create(around, client, body, options.idempotencyKey)
  // The id comes first: the wait may fail.
  if (!options.json) {
    terminal.print(created.id)
    terminal.say(progressOf(created))
  }
  const bulk = await follow(around, client, created, options)
  if (options.json) terminal.printJson(bulk)
  for (const warning of warningsOf(bulk)) terminal.say(`rescind: ${warning}`)
  if (!bulk.final) terminal.say(`"rescind bulk watch ${bulk.id}" follows it`)
  return exitOfBulk(bulk)
}

/** A key that this command makes is printed before the request, so that a retry can name it whatever happens. */
function create({ life, terminal }: Around, client: Client, body: BulkInput, given: string | undefined) {
  const key = given ?? freshId<string>(systemRandom(), systemClock.now())
  if (given === undefined) terminal.say(`idempotency key: ${key}`)
  const remedy = `run it again with --idempotency-key ${key}, which cancels nothing that was sent since`
  return repeatUnderKey(
    { key, remedy, request: (idempotencyKey) => client.createBulkCancellation(body, { idempotencyKey }) },
    life.stop,
  )
}

async function follow(around: Around, client: Client, bulk: BulkView, options: BulkRequestOptions): Promise<BulkView> {
  if (options.wait === undefined) return bulk
  const show = (each: BulkView) => {
    if (!options.json && each !== bulk) around.terminal.say(progressOf(each))
  }
  return untilFinal(around, client, bulk, options.wait, show).catch((error: unknown) => {
    throw undecided(error, around.life.stop, `the cancellation is stored; "rescind bulk watch ${bulk.id}" follows it`)
  })
}
