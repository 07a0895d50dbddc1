// Thousands of requests made from the OpenAPI document, right ones and wrong ones, at a running service on a real chain: no answer
// is a fault of the server, none is missing, and each is as the document describes it.
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import type { Client } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { anvilStage } from '../e2e/support/stage.ts'
import { manage, storageKey } from '../manage/support/manager.ts'
import { anything, fitting, spoiledBy } from './support/arbitrary.ts'
import { type Described, type OpenApiDocument, operationsOf, type Parameter, pathWith } from './support/document.ts'
import { valuesOf, withoutServices } from './support/rules.ts'

/** With a number of requests, it begins at a seed that changes with each run. FUZZ_SEED=7 finds other things as well. */
const { FUZZ_REQUESTS: wanted, FUZZ_SEED: given = wanted === undefined ? 20_261_121 : randomInt(2 ** 31) } = process.env
const requests = Number(wanted ?? 12_000)
const seed = Number(given)
/** Sent at once, so that they meet each other. */
const atOnce = 40
/** Without faults of their own, for an operation that none has got through. */
const rightShotsMax = 50
/** No answer takes that long unless it never comes. */
const patienceMs = 20_000

interface Shot {
  readonly id: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

test(`seed ${seed}: no fault, no silence, nothing undescribed`, { timeout: 900_000 }, async () => {
  await using stage = await anvilStage({
    relayers: { queue: { max_in_flight: 2 }, other: { max_in_flight: 1 }, kept: { max_in_flight: 1 } },
    notifications: [{ id: 'alerts', url: 'https://hooks.invalid/' }],
    service: { env: { STORAGE_ENCRYPTION_KEY: storageKey(1) } },
  })
  // For relayers to be made with, one after the other.
  await manage(stage.client, 'POST', '/signers', { id: 'dev', type: 'plain', config: { key: devAccount(3).key } })
  // One that no shot names: a sweep of the others may keep them for ever, as no block is made.
  await manage(stage.client, 'POST', '/signers', { id: 'spare', type: 'plain', config: { key: devAccount(5).key } })
  const spare = { id: 'spare', name: 'Spare', network: 'localhost', network_type: 'evm', signer_id: 'spare' }
  await manage(stage.client, 'POST', '/relayers', spare)
  const document = (await stage.client.request('GET', '/openapi.json')).body as OpenApiDocument
  await using pool = poolOf(stage.service.url)
  const operations = operationsOf(document)
  const operationOf = (wanted: string) => operations.find(({ id }) => id === wanted) as Described
  const faults: string[] = []
  const latest: Record<string, string[]> = {
    kept_transaction_id: await sendToKeep(stage.client),
    shown_transaction_id: await sendToKeep(stage.client, { hold: true }),
    released_transaction_id: await sendToKeep(stage.client, { hold: true }),
  }
  const statuses = new Map<string, number>()

  async function fire({ id, path: shape, headers, body }: Shot): Promise<void> {
    const operation = operationOf(id)
    const path = shape.replace(/latest-([a-z_]+)-(\d+)/, (_, name, place) => latest[name]?.at(-place) ?? 'none-so-far')
    const shown = `${operation.method} ${path} ${JSON.stringify(headers)} ${body ?? ''}`.slice(0, 2000)
    try {
      const answer = await pool.request({
        method: operation.method as 'GET',
        path,
        headers: { authorization: `Bearer ${stage.service.apiKey}`, ...headers },
        ...(body !== undefined && { body }),
      })
      const contentType = String(answer.headers['content-type'])
      const isStream = contentType.startsWith('text/event-stream')
      const text = isStream ? '' : await answer.body.text()
      if (isStream) answer.body.on('error', () => undefined).destroy()
      const made = makers[id]
      if (made && answer.statusCode === 200) {
        latest[made] = [...(latest[made] ?? []), JSON.parse(text).data.id].slice(-idsMax)
      }
      const name = `${operation.id} ${answer.statusCode}`
      statuses.set(name, (statuses.get(name) ?? 0) + 1)
      const judged = operation.judge({ status: answer.statusCode, contentType, text, headers: answer.headers })
      const code = String(answer.headers['relayer-error-code'])
      if (answer.statusCode >= 500 && !mayBeUnavailable(id, code)) faults.push(`${code}\n${shown}\n${text}`)
      faults.push(...judged.map((fault) => `${fault}\n${shown}\n${text.slice(0, 500)}`))
    } catch (error) {
      faults.push(`${shown}\n${error}`)
    }
  }

  // The one leaves nothing for the others to work on. To change something, it has to be there still, and the body has to fit.
  // While a network is paused, few operations get through.
  const seldom: Readonly<Partial<Record<string, number>>> = {
    ...{ cancelPendingTransactions: 1, pauseNetwork: 1, createBulkCancellation: 3 },
  }
  // A relayer is deleted only if one was made and nothing is open for it; and few filters of a list fit together.
  const often = (id: string) =>
    id.startsWith('update') ||
    ['resumeNetwork', 'createRelayer', 'deleteRelayer', 'listTransactions', 'listTraces'].includes(id)
  const weightOf = ({ id }: Described) => seldom[id] ?? (often(id) ? 20 : 10)
  const shot = fc.oneof(...operations.map((each) => ({ arbitrary: shotAt(each), weight: weightOf(each) })))
  // At first each gets requests without faults of their own, until one gets through: later, others may have broken what it needs.
  const isDelete = ({ id }: Described) => id.startsWith('delete')
  for (const each of [...operations.filter((each) => !isDelete(each)), ...operations.filter(isDelete)]) {
    await resume(stage.client)
    for (const right of fc.sample(rightShotAt(each), { seed, numRuns: rightShotsMax })) {
      if (!statuses.has(`${each.id} 200`)) await fire(right)
    }
  }
  expect(faults).toEqual([])
  const before = answersIn(statuses)
  const shots = fc.array(shot, { minLength: atOnce, maxLength: atOnce })
  const fired = fc.asyncProperty(shots, async (volley) => {
    await resume(stage.client)
    await Promise.all(volley.map(fire))
    expect(faults).toEqual([])
  })
  await fc.assert(fired, { seed, numRuns: requests / atOnce, endOnFailure: true })

  expect(answersIn(statuses)).toBe(before + requests)
  await fire({ id: 'deleteRelayer', path: '/api/v1/relayers/spare', headers: {} })
  expect(faults).toEqual([])
  // It got through everywhere, not only as far as a refusal; but nothing is given up within a day, and no key is in a
  // service.
  const neverDone = [
    ...['signTransaction', 'redeliverDeadLetter', 'probeSigner'],
    ...['acknowledgeCondition', 'withdrawAcknowledgment'],
    // No shot has the id of one.
    ...['getBulkCancellation', 'listBulkCancellationTransactions'],
  ]
  const served = operations.filter(({ id }) => !neverDone.includes(id))
  expect(served.map(({ id }) => `${id} 200`).filter((name) => !statuses.has(name))).toEqual([])
  expect(stage.service.logs()).not.toContain('"level":"error"')
  expect((await stage.client.request('GET', '/ready')).status).toBe(200)
})

/** Bulk cancellations pause these relayers, and no shot resumes them. */
async function resume(client: Client): Promise<void> {
  const resumed = (id: string) => client.request('PATCH', `/relayers/${id}`, { body: { paused: false } })
  await Promise.all(['queue', 'other'].map(resumed))
}

const answersIn = (statuses: ReadonlyMap<string, number>) =>
  [...statuses.values()].reduce((sum, count) => sum + count, 0)

function poolOf(url: string): Pool & AsyncDisposable {
  const pool = new Pool(url, { connections: atOnce, headersTimeout: patienceMs, bodyTimeout: patienceMs })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() })
}

/**
 * Nothing but replacements, releases and looks at holds is for this relayer, and no block is made: its transactions can be replaced
 * to the end.
 */
async function sendToKeep(client: Client, more: object = {}): Promise<string[]> {
  const { address: to } = devAccount(4)
  const sends = Array.from({ length: idsMax }, () => client.send('kept', { to, value: '1', ...more }))
  return (await Promise.all(sends)).map(({ id }) => id)
}

/** The operation that makes an entry, and the parameter by which others read, replace and remove it. */
const makers: Readonly<Partial<Record<string, string>>> = {
  sendTransaction: 'transaction_id',
  createApiKey: 'api_key_id',
  createRelayer: 'relayer_id',
  createSigner: 'signer_id',
  createNotification: 'notification_id',
}
const idsMax = 10

/** They read the chain for their answer, and relayers are made on networks whose node is nowhere. */
const readsOfChain = ['getRelayerBalance', 'getRelayerStatus', 'rpc']

const mayBeUnavailable = (operation: string, code: string) =>
  (code === 'NODE_UNAVAILABLE' && readsOfChain.includes(operation)) ||
  (code === 'PRICE_UNOBSERVED' && ['createBulkCancellation', 'previewBulkCancellation'].includes(operation))

type Ids = Readonly<Partial<Record<string, readonly string[]>>>

/** A placeholder for an id that exists when the request is sent. */
const known: Ids = {
  ...Object.fromEntries(Object.values(makers).map((name = '') => [name, latestOf(name)])),
  relayer_id: ['queue', 'queue', 'queue', 'other', 'nobody'],
}
/** What the others work on is left as it is. */
const knownToChange: Ids = { ...known, relayer_id: ['latest-relayer_id-1', 'latest-relayer_id-1', 'nobody'] }
const knownOfKept = (name: string): Ids => ({ relayer_id: ['kept'], transaction_id: latestOf(name) })
const knownTo: Readonly<Record<string, Ids>> = {
  updateRelayer: knownToChange,
  sweepRelayer: knownToChange,
  getSweep: knownToChange,
  deleteRelayer: knownToChange,
  replaceTransaction: knownOfKept('kept_transaction_id'),
  getHold: knownOfKept('shown_transaction_id'),
  releaseTransaction: knownOfKept('released_transaction_id'),
}

function latestOf(name: string): readonly string[] {
  return Array.from({ length: idsMax }, (_, place) => `latest-${name}-${place + 1}`)
}

function shotAt(operation: Described): fc.Arbitrary<Shot> {
  const { parameters, body } = operation
  const ids = knownTo[operation.id] ?? known
  const inPlace = (place: Parameter['in']) =>
    valuesOf(
      parameters.filter((each) => each.in === place),
      (each) => parameterValue(each, ids),
    )
  const query = fc.tuple(inPlace('query'), mostly(fc.constant({}), fc.dictionary(word, word, { maxKeys: 2 })))
  return fc
    .record({
      path: inPlace('path'),
      query: query.map((parts) => Object.assign({}, ...parts) as Record<string, unknown>),
      header: inPlace('header'),
      odd: mostly(fc.constant({}), oddHeaders),
      body: body === undefined ? mostly(fc.constant(undefined), fc.constant('{"x":1}')) : bodyOf(operation.id, body),
    })
    .map((parts) => assemble(operation, parts))
}

interface ShotParts {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  readonly odd?: Readonly<Record<string, string>>
  readonly body: string | undefined
}

function assemble(operation: Described, { path, query, header, odd, body }: ShotParts): Shot {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return {
    id: operation.id,
    path: pathWith(operation, path) + (search && `?${search}`),
    headers: {
      ...(body !== undefined && { 'content-type': operation.body?.contentType ?? 'application/json' }),
      ...Object.fromEntries(Object.entries(header).map(([name, value]) => [name, visible(value)])),
      ...odd,
    },
    ...(body !== undefined && { body }),
  }
}

/** One without optional parameters and with a body of the document's kind. */
function rightShotAt(operation: Described): fc.Arbitrary<Shot> {
  const { parameters, body } = operation
  const ids = knownTo[operation.id] ?? known
  const rightOf = ({ name, schema, examples }: Parameter) => {
    const values = ids[name] ?? examples
    return values.length > 0 ? fc.constantFrom(...values) : fitting(schema)
  }
  const inPlace = (place: Parameter['in']) =>
    valuesOf(
      parameters.filter((each) => each.in === place && each.required),
      rightOf,
    )
  return fc
    .record({
      path: inPlace('path'),
      query: inPlace('query'),
      header: inPlace('header'),
      body: body === undefined ? fc.constant(undefined) : rightBodyOf(operation.id, body),
    })
    .map((parts) => assemble(operation, parts))
}

function rightBodyOf(id: string, { schema, examples }: NonNullable<Described['body']>): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom({}, ...examples), fitting(withoutServices(id, schema)))
    .map((value) => JSON.stringify(value))
}

function mostly<T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: odd, weight: 1 })
}

const word = fc.stringMatching(/^[a-z_]{1,10}$/)

const oddHeaders = fc.constantFrom<Record<string, string>>(
  { authorization: 'Bearer wrong' },
  { authorization: '' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { accept: 'text/html' },
  { prefer: 'wait=0' },
  { 'x-request-id': '\u00e9'.repeat(3) },
  { 'x-forwarded-for': '10.0.0.1' },
  { 'x-http-method-override': 'DELETE' },
)

function parameterValue({ name, in: place, schema, examples }: Parameter, known: Ids): fc.Arbitrary<unknown> {
  const ids = known[name] ?? examples
  const right = ids.length > 0 ? mostly(fc.constantFrom(...ids), fitting(schema)) : fitting(schema)
  const odd = anything.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value))
  // Half a surrogate pair can't be percent-encoded, and an empty segment is another path.
  const texts = fc
    .oneof({ arbitrary: right, weight: 4 }, { arbitrary: odd, weight: 1 })
    .map((value) => String(value).toWellFormed())
  return place === 'path' ? texts.filter((text) => text !== '') : texts
}

function bodyOf(id: string, { schema, examples }: NonNullable<Described['body']>): fc.Arbitrary<string> {
  const right = fitting(withoutServices(id, schema))
  const json = (value: unknown) => JSON.stringify(value) ?? ''
  const noJson = fc.oneof(
    fc.string(),
    fc.json().map((text) => text.slice(1)),
  )
  return fc.oneof(
    { arbitrary: fc.constantFrom(...examples).map(json), weight: 3 },
    { arbitrary: spoiledBy(fc.constantFrom(...examples)).map(json), weight: 3 },
    { arbitrary: right.map(json), weight: 4 },
    { arbitrary: spoiledBy(right).map(json), weight: 3 },
    { arbitrary: anything.map(json), weight: 1 },
    { arbitrary: noJson, weight: 1 },
  )
}

function visible(value: unknown): string {
  return String(value).replaceAll(/[^\x20-\x7e]/g, '?')
}
