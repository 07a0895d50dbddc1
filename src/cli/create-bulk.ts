// rescind bulk create and stop-everything: the preview and the question, unless --yes is there; then the object.
import type { BulkInput, BulkPreviewInput, BulkPreviewView, BulkView, Client } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { systemClock } from '../ops/clock.ts'
import { freshId, systemRandom } from '../ops/random.ts'
import { filterWords, limitWords } from '../words/bulk.ts'
import { type BulkLimitOptions, type BulkScopeOptions, bulkLimitOf, scopeOf } from './bulk-options.ts'
import type { Around } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, pairs } from './format.ts'
import { exitOfBulk, progressOf, untilFinal, warningsOf } from './read-bulks.ts'
import { repeatUnderKey } from './repeat-under-key.ts'
import { requireYes, undecided } from './require-yes.ts'
import { plain, type Terminal } from './terminal.ts'

/** Options of both commands. */
interface BulkRequestOptions extends ServiceOptions, BulkLimitOptions {
  readonly name?: string
  readonly reason?: string
  readonly idempotencyKey?: string
  readonly wait?: number
  readonly yes?: true
}

interface CreateOptions extends BulkRequestOptions, BulkScopeOptions {
  readonly atMost?: number
}

export async function createBulk(around: Around, options: CreateOptions): Promise<Exit> {
  const { atMost } = options
  const scope = { ...scopeOf(options), ...defined({ at_most: atMost }) }
  const { client } = await connect(around.life, options)
  // With --yes the cancellation waits for no preview.
  const bounded = options.yes ? scope : await confirmBulk(around.terminal, client, scope)
  return request(around, client, options, bounded)
}

/** A command of its own: in an incident, help lists it, and no option is forgotten. */
export async function stopEverything(around: Around, options: BulkRequestOptions): Promise<Exit> {
  const scope = { filter: {}, relayers: 'all', pause: true, ...bulkLimitOf(options) } as const
  const { client } = await connect(around.life, options)
  // Not bounded by the preview: in an incident, what came since is canceled as well.
  if (!options.yes) await confirmBulk(around.terminal, client, scope)
  return request(around, client, options, scope)
}

async function request(around: Around, client: Client, options: BulkRequestOptions, scope: BulkInput): Promise<Exit> {
  const { terminal } = around
  const { name, reason } = options
  const body = { ...scope, ...defined({ name, reason }) }
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
  const { filter, at_most: atMost } = body
  const again = [
    `--idempotency-key ${key}`,
    ...(filter.created_to === undefined ? [] : [`--created-to ${filter.created_to}`]),
    ...(atMost === undefined ? [] : [`--at-most ${atMost}`]),
  ]
  const remedy = `run it again with ${again.join(' ')}, which cancels nothing that was sent since`
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

export async function previewBulk(
  { life, terminal }: Around,
  options: ServiceOptions & BulkScopeOptions,
): Promise<Exit> {
  const { client } = await connect(life, options)
  const scope = scopeOf(options)
  const preview = await client.previewBulkCancellation(scope)
  terminal.show(options, preview, () => pairs(previewPairs(scope, preview)))
  return exits.done
}

// What a bulk cancellation would cancel, by the service's preview, and the question before it.

/** After a yes, returns the request with the bounds of the preview, where it has none of its own. */
async function confirmBulk(
  terminal: Terminal,
  client: Client,
  { at_most: atMost, ...scope }: BulkInput,
): Promise<BulkInput> {
  const { filter, relayers, pause } = scope
  const preview = await client.previewBulkCancellation(scope)
  for (const line of pairs(previewPairs(scope, preview))) terminal.say(line)
  const whose = relayers === 'all' ? 'all relayers' : relayers.join(', ')
  await requireYes(terminal, {
    needsAnswer: 'a bulk cancellation',
    question: plain(`${pause ? 'Pause and cancel' : 'Cancel'} ${filterWords(filter)} of ${whose}?`),
    otherwise: 'nothing was canceled',
  })
  const { instant, counts } = preview
  return { ...scope, filter: { created_to: instant, ...filter }, at_most: atMost ?? counts.matches }
}

function previewPairs(
  { filter, relayers, pause, ...limit }: BulkPreviewInput,
  { instant, counts, cost, parts }: BulkPreviewView,
): readonly (readonly [string, Cell])[] {
  const amounts = cost && `up to ${ether(cost.now)} now, ${ether(cost.max)} at most`
  const isPriced = parts.every((part) => part.cost !== undefined)
  return [
    ['relayers', relayers === 'all' ? `all ${parts.length}` : relayers.join(', ')],
    ['cancels', filterWords(filter)],
    ['limit', limitWords(limit).join(', ') || undefined],
    ['paused', pause ? 'every one of these relayers, until it is resumed' : undefined],
    ['as of', instant],
    ['transactions', counts.matches],
    ['free', counts.free],
    ['no-ops', counts.no_ops],
    ['cost', amounts ?? (isPriced ? 'in different currencies: see --json' : 'unknown: no price was observed yet')],
    ['canceled before', counts.already || undefined],
    ['left by the limit of cost', counts.left || undefined],
  ]
}
