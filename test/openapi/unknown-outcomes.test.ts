// Each operation of the OpenAPI document but reads, with the store failing at the COMMIT of its request: what leaves its outcome open is
// no answer that a proxy repeats, and says when to retry only where repeating is safe.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { compose } from '../../src/compose.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { RescindError } from '../../src/domain/errors.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { inDoubt } from '../../src/store/failure.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { devAccount, startAnvil } from '../../tooling/anvil.ts'
import { openClient } from '../../tooling/client.ts'
import { serviceEnvironment, writeServiceFiles } from '../../tooling/service-files.ts'
import { storageKey } from '../manage/support/manager.ts'
import { quiet } from '../store/open-store.ts'
import { type Described, type OpenApiDocument, operationsOf } from './support/document.ts'
import { standInsOn } from './support/stand-ins.ts'

/** `later`: the COMMIT is answered, and nothing of the store answers after it. Of the others nothing is stored, so that the next can be. */
const failures = ['unknown', 'broken', 'unavailable', 'later'] as const
type Failure = (typeof failures)[number]

interface FailingStore {
  readonly store: Store
  /** Fails at the commit that records this request in the audit log. */
  arm(requestId: string, failure: Failure): void
  /** Works again. Returns whether there was such a commit. */
  disarm(): boolean
}

function failing(store: Store): FailingStore {
  let armed: { readonly requestId: string; readonly failure: Failure } | undefined
  let reached = false
  let committed = false
  const isDown = () => armed?.failure === 'later' && committed
  const outage = () =>
    new RescindError('DATABASE_UNAVAILABLE', "the database can't be reached: nothing of this is stored")
  function fail(): void {
    reached = true
    if (armed?.failure === 'unknown') throw inDoubt('the connection to the database was lost', undefined)
    if (armed?.failure === 'broken') throw new Error('broken')
    if (armed?.failure === 'unavailable') throw outage()
  }
  const reads = Object.entries(store.reads).map(([name, read]) => [
    name,
    async (...parameters: unknown[]) => {
      if (isDown()) throw outage()
      return (read as (...of: unknown[]) => unknown)(...parameters)
    },
  ])
  return {
    store: {
      ...store,
      reads: Object.fromEntries(reads) as Store['reads'],
      async commit(unit, ...of) {
        if (isDown()) throw outage()
        let isOurs = false
        const done = await store.commit(
          async (session) => {
            isOurs = false
            const made = await unit({
              ...session,
              recordAudit(record) {
                isOurs ||= record.requestId === armed?.requestId
                session.recordAudit(record)
              },
            })
            if (isOurs) fail()
            return made
          },
          ...of,
        )
        committed ||= isOurs
        return done
      },
    },
    arm(requestId, failure) {
      armed = { requestId, failure }
      reached = false
      committed = false
    },
    disarm() {
      armed = undefined
      return reached
    },
  }
}

async function openPlace() {
  await using pieces = new AsyncDisposableStack()
  const node = pieces.use(await startAnvil({ mining: 'manual' }))
  const directory = await mkdtemp(join(tmpdir(), 'rescind-outcomes-'))
  pieces.defer(() => rm(directory, { recursive: true, force: true }))
  const apiKey = 'a-key-for-tests-of-32-characters-or-more'
  const files = {
    networks: [{ name: 'localhost', rpcUrls: [node.url] }],
    relayers: [{ id: 'local', privateKey: devAccount(0).key, policies: { max_in_flight: 1_000 } }],
  } as const
  await writeServiceFiles(directory, files)
  const env = {
    ...serviceEnvironment(directory, { ...files, apiKey, port: 0, metricsPort: 0 }),
    ...{ STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
  }
  const around = {
    clock: systemClock,
    random: systemRandom(),
    logger: quiet,
    processStates: watchProcess(systemClock, processConditions),
  }
  const under = failing(await openSqliteStore({ ...around, path: join(directory, 'rescind.db') }))
  const service = pieces.use(
    await compose(await loadConfig(env, directory), {
      ...around,
      version: '0.0.0-test',
      openStore: async () => under.store,
    }),
  )
  const { url } = await service.listen()
  const client = pieces.use(openClient(url, apiKey))
  const document = (await client.request('GET', '/openapi.json')).body as OpenApiDocument
  const standIns = standInsOn(client)
  await standIns.make('/signers', { id: 'dev', type: 'plain', config: { key: devAccount(1).key } })
  const kept = pieces.move()
  return {
    ...{ ...under, url, apiKey, document, standIns },
    operations: operationsOf(document).filter(({ method }) => method !== 'GET'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

type Place = Awaited<ReturnType<typeof openPlace>>

/**
 * Operations that change nothing, and those that are refused before they change anything: as long as no dead letter and no condition is
 * there, no key service, and as signing without sending is never supported.
 */
const withoutCommit = [
  'rpc',
  ...['acknowledgeCondition', 'withdrawAcknowledgment', 'redeliverDeadLetter', 'probeSigner', 'signTransaction'],
]

const deletes = ['cancelTransaction', 'cancelPendingTransactions']
const keyOf = ({ parameters }: Described) => parameters.find(({ name }) => name === 'idempotency-key')

/** With its key, and without where it may be left out. */
function waysOf(operation: Described): readonly { readonly isKeyed: boolean }[] {
  const key = keyOf(operation)
  return [...(key ? [{ isKeyed: true }] : []), ...(key?.required ? [] : [{ isKeyed: false }])]
}

/** The examples of releases have the digests of other payloads. */
async function bodyOf({ standIns }: Place, { id, body }: Described): Promise<unknown> {
  if (id === 'releaseTransaction') return {}
  return id === 'releaseTransactions' ? { transactions: [{ id: await standIns.held() }] } : body?.examples[0]
}

async function requestUnder(
  place: Place,
  operation: Described,
  { failure, isKeyed }: { readonly failure: Failure; readonly isKeyed: boolean },
) {
  const { method, path, headers, body } = await place.standIns.requestOf(operation, await bodyOf(place, operation))
  const { 'idempotency-key': _, ...unkeyed } = headers
  const requestId = randomUUID()
  place.arm(requestId, failure)
  const answer = await request(`${place.url}${path}`, {
    method: method as 'POST',
    headers: {
      ...unkeyed,
      ...(isKeyed && { 'idempotency-key': requestId }),
      ...{ authorization: `Bearer ${place.apiKey}`, 'x-request-id': requestId },
    },
    ...(body !== undefined && { body }),
  })
  await answer.body.dump()
  const reached = place.disarm()
  const { 'relayer-error-code': code, 'retry-after': retry } = answer.headers
  return { reached, answer: [answer.statusCode, code, retry !== undefined] }
}

/** Operations whose record is a commit of its own, after what they do. */
const recordedApart = ['signMessage', 'signTypedData', 'redeliverDeadLetters', 'previewBulkCancellation']

/** Status, code, and whether there is a Retry-After; false where no COMMIT is reached. */
function expectedOf({ id }: Described, failure: Failure, isSafe: boolean) {
  if (withoutCommit.includes(id)) return false
  if (failure === 'unknown' || failure === 'later' || recordedApart.includes(id))
    return [500, 'OUTCOME_UNKNOWN', isSafe]
  if (failure === 'broken') return [500, 'INTERNAL', isSafe]
  return [deletes.includes(id) ? 500 : 503, 'DATABASE_UNAVAILABLE', true]
}

test('an outcome that is unknown is 500, and says when to retry only where repeating is safe', async () => {
  await using place = await openPlace()
  const found: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  for (const operation of place.operations) {
    for (const { isKeyed } of waysOf(operation)) {
      const isSafe = isKeyed || deletes.includes(operation.id)
      for (const failure of failures) {
        const name = `${operation.id} ${isKeyed ? 'under a key ' : ''}${failure}`
        const { reached, answer } = await requestUnder(place, operation, { failure, isKeyed })
        found[name] = reached && answer
        // What was committed may also be answered as such; and a key, or a DELETE, may be repeated whatever the answer says.
        const isFine = reached && failure === 'later' && (isSafe || answer[0] === 200)
        expected[name] = isFine ? found[name] : expectedOf(operation, failure, isSafe)
      }
    }
  }
  expect(found).toEqual(expected)
})

test('the document names Retry-After with a 500 in the same places', async () => {
  await using place = await openPlace()
  const named = place.operations.map(({ id, method, path }) => {
    const refused = place.document.paths[path]?.[method.toLowerCase()]?.responses[500]
    return [id, 'Retry-After' in (refused?.headers ?? {})]
  })
  const isNamed = (each: Described) => ['rpc', ...deletes].includes(each.id) || keyOf(each) !== undefined
  expect(named).toEqual(place.operations.map((each) => [each.id, isNamed(each)]))
})
