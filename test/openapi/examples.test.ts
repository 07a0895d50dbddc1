// The OpenAPI document is valid, and every operation in it has examples that work as they stand.
import { randomInt } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { storageKey } from '../manage/support/manager.ts'
import { type Described, type OpenApiDocument, operationsOf } from './support/document.ts'
import { allowedRequest, type Existing, forbiddenRequest, type RuledRequest } from './support/rules.ts'
import { type StandIns, standInsOn } from './support/stand-ins.ts'

type Specification = Parameters<Validator['validate']>[0]

let stage: Stage<Anvil>
let document: OpenApiDocument
let operations: readonly Described[]
let standIns: StandIns
beforeAll(async () => {
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  // Its chain mines nothing, and each operation may put more into the pool.
  stage = await anvilStage({ relayers: { local: { max_in_flight: 1_000 } }, service: { env } })
  document = (await stage.client.request('GET', '/openapi.json')).body as OpenApiDocument
  operations = operationsOf(document)
  standIns = standInsOn(stage.client)
  await standIns.make('/signers', { id: 'dev', type: 'plain', config: { key: devAccount(1).key } })
  // The one that holds nonce 0, whatever else happens.
  await standIns.pending()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('the document is valid', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as object as Specification)
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
})

test('a document that is not valid is found out', async () => {
  const broken = { ...structuredClone(document), paths: { nowhere: {} } }
  expect(await new Validator().validate(broken as object as Specification)).toMatchObject({ valid: false })
})

test('each parameter that is required has an example, and each body', () => {
  const parameters = operations.flatMap(({ id, parameters }) =>
    parameters
      .filter(({ required, examples }) => required && examples.length === 0)
      .map(({ name }) => `${id}: ${name}`),
  )
  const bodies = operations.filter(({ body }) => body && body.examples.length === 0).map(({ id }) => `${id}: its body`)
  expect([...parameters, ...bodies]).toEqual([])
})

test('each answer has examples, and they are as the document describes it', () => {
  const faults = operations.flatMap(({ id, answers, judge }) =>
    answers.flatMap(({ status, contentType, examples }) =>
      examples.length === 0
        ? [`${id}: ${status} has no example`]
        : examples.flatMap((example) => judge({ status, contentType, text: textOf(contentType, example) })),
    ),
  )
  expect(faults).toEqual([])
})

function textOf(contentType: string, example: unknown): string {
  return contentType === 'application/json' ? JSON.stringify(example) : String(example)
}

test('each schema has its name, and each name its use', () => {
  const { schemas } = document.components
  const text = JSON.stringify(document)
  expect(Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['Transaction', 'Verdict', 'Relayer', 'Policies', 'Signer', 'Failure', 'SendRequest']),
  )
})

/**
 * Operations that can't succeed in a moment: a release by the digest of another payload, a relayer that does not do such things, or has no such condition, an event that takes a day to be given up, and the probe
 * of a key service, as the signer's key is in the process.
 */
const refused: Readonly<Record<string, number>> = {
  ...{ signTransaction: 400, redeliverDeadLetter: 404, probeSigner: 400 },
  ...{ releaseTransaction: 409, acknowledgeCondition: 404, withdrawAcknowledgment: 404 },
}

describe('the examples', () => {
  test('work as they stand', async () => {
    const outcomes: Record<string, unknown> = {}
    for (const operation of operations) {
      const bodies = operation.body?.examples ?? [undefined]
      for (const [index, body] of bodies.entries()) {
        outcomes[`${operation.id} ${index}`] = await execute(operation, body)
      }
    }
    const fine = (name: string) => [refused[name.split(' ')[0] ?? ''] ?? 200]
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, fine(name)])))
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(operations.length)
  })
})

/** The status, and beside it the faults of the answer. */
async function execute(operation: Described, body: unknown): Promise<readonly unknown[]> {
  const { path, method, headers, body: text } = await standIns.requestOf(operation, body)
  const aborted = new AbortController()
  const answer = await request(`${stage.service.url}${path}`, {
    method: method as 'GET',
    headers: { authorization: `Bearer ${stage.service.apiKey}`, ...headers },
    ...(text !== undefined && { body: text }),
    signal: aborted.signal,
  })
  const contentType = String(answer.headers['content-type'])
  const isStream = contentType.startsWith('text/event-stream')
  const answered = isStream ? '' : await answer.body.text()
  if (isStream) answer.body.on('error', () => undefined).destroy()
  const faults = operation.judge({ status: answer.statusCode, contentType, text: answered, headers: answer.headers })
  return [answer.statusCode, ...faults, ...(answer.statusCode === 200 ? [] : faults.length > 0 ? [answered] : [])]
}

/** With a number of requests, they begin at a seed that changes with each run. FUZZ_SEED=7 finds other things as well. */
const { FUZZ_REQUESTS: wanted, FUZZ_SEED: given = wanted === undefined ? 20_261_123 : randomInt(2 ** 31) } = process.env
const perOperation = Math.ceil(Number(wanted ?? 600) / 100)
const seed = Number(given)

describe(`by the rules of the document, from seed ${seed}`, () => {
  let existing: Existing
  beforeAll(async () => {
    existing = await whatExists()
  })

  test('a document with other rules is found out', async () => {
    const { SendRequest, ...schemas } = document.components.schemas
    const { allOf: _, ...lax } = SendRequest ?? {}
    const strict = { ...SendRequest, required: ['value', 'speed'] }
    for (const other of [lax, strict]) {
      const altered = {
        ...document,
        components: { ...document.components, schemas: { ...schemas, SendRequest: other } },
      }
      const sends = operationsOf(altered).filter(({ id }) => id === 'sendTransaction')
      expect((await judged(sends, existing, { numRuns: 400, seed: 20_261_123 })).faults).not.toEqual([])
    }
  })

  test('the service takes what they allow, and accepts nothing that they forbid', { timeout: 900_000 }, async () => {
    const { faults, taken } = await judged(operations, existing)
    expect(faults).toEqual([])
    // Refusals by what exists do not stand in the way of the rules.
    const bodies = ['updateNetwork', 'createSigner', 'createNotification']
    expect(taken).toEqual(expect.arrayContaining([...bodies, 'createApiKey', 'updateRelayer', 'signMessage', 'rpc']))
  })
})

async function judged(
  operations: readonly Described[],
  existing: Existing,
  { numRuns, seed: from }: { numRuns: number; seed: number } = { numRuns: perOperation, seed },
) {
  const faults: unknown[] = []
  const taken = new Set<string>()
  for (const operation of operations) {
    const known = knownTo(operation, existing)
    for (const sent of fc.sample(allowedRequest(operation, known), { seed: from, numRuns })) {
      const { status, code, message } = await send(sent)
      if (status === 200) taken.add(operation.id)
      const isRefused = isMalformed(operation.id, code) && !inWords.some((rule) => rule.test(message))
      if (isRefused) faults.push({ allowed: sent, status, code, message })
    }
    const forbidden = forbiddenRequest(operation, known)
    for (const sent of forbidden ? fc.sample(forbidden, { seed: from, numRuns }) : []) {
      const { status } = await send(sent)
      if (status < 400) faults.push({ forbidden: sent, status })
    }
    // A relayer that these requests paused, or put under four eyes, signs nothing for the others.
    await stage.client.request('PATCH', '/relayers/local', { body: { paused: false, policies: { four_eyes: null } } })
  }
  return { faults, taken: [...taken] }
}

async function whatExists(): Promise<Existing> {
  return {
    relayer_id: ['local'],
    relayers: [['local']],
    network: ['localhost'],
    network_id: ['evm:localhost'],
    signer_id: ['dev'],
    notification_id: [await standIns.make('/notifications', { url: 'https://hooks.example/rules' })],
    transaction_id: [await standIns.pending()],
  }
}

/** What the others need stays. */
function knownTo({ id }: Described, existing: Existing): Existing {
  const gone = ['nobody']
  return id.startsWith('delete') || id === 'sweepRelayer'
    ? { relayer_id: gone, signer_id: gone, notification_id: gone }
    : existing
}

const malformed = ['INVALID_REQUEST', 'MALFORMED_JSON', 'MALFORMED_PATH', 'UNSUPPORTED_MEDIA_TYPE', 'NOT_SUPPORTED']

/** Signing without sending is never supported. */
function isMalformed(operationId: string, code: unknown): boolean {
  return malformed.includes(String(code)) && !['signTransaction', 'probeSigner'].includes(operationId)
}

/** Rules that no schema states: the document has them in words. */
const inWords = [
  /is not at most max_fee_per_gas/,
  /storage keys; send at most/,
  /skip_unfunded of relayer .* is true/,
  /twice/,
  /detail: "position" is not/,
  /is not at or above (nonce|created|value)_from/,
  /is not longer than older_than/,
  /with before every page is the first/,
  /is not within the first 100000 rows/,
  /is not the id of a stored transaction of this relayer/,
  /^(range|from|to): .* is not (left out|a time before to|at most eight days)/,
]

async function send({ method, path, headers, body }: RuledRequest) {
  const aborted = new AbortController()
  const answer = await request(`${stage.service.url}${path}`, {
    method: method as 'GET',
    headers: { authorization: `Bearer ${stage.service.apiKey}`, ...headers },
    ...(body !== undefined && { body }),
    signal: aborted.signal,
  })
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
  const text = isStream ? '{}' : await answer.body.text()
  if (isStream) answer.body.on('error', () => undefined).destroy()
  const { message = '' } = (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly message?: string }
  return { status: answer.statusCode, code: answer.headers['relayer-error-code'], message }
}
