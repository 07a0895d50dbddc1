// An installation with something in every table and in every state, and all that its clients see of it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../../tooling/client.ts'
import { type Service, startService } from '../../../tooling/service.ts'
import type { ServiceFiles } from '../../../tooling/service-files.ts'
import { manage, storageKey } from '../../manage/support/manager.ts'
import { type EventView, openEventStream } from '../../support/event-stream.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const receiverOfPayments = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const apiKey = 'the-administrator-of-a-moved-installation'
const signingKey = 'a-signing-key-of-32-characters-or-more'
/** Of the installation, by the state that it is in. */
const states = ['confirmed', 'failed', 'won', 'inPool', 'racing', 'queued', 'dropped'] as const

export interface Installation extends AsyncDisposable {
  readonly node: Anvil
  readonly directory: string
  /** Refuses whatever comes until it is `willing`. */
  readonly receiver: WebhookReceiver
  /** Ids of transactions of the relayer `one`. */
  readonly ids: Readonly<Record<(typeof states)[number], string>>
  /** What made them: a token of an API key, and a send under an idempotency key. */
  readonly token: string
  readonly idempotent: { readonly body: object; readonly key: string; readonly id: string }
  /** Of the relayer `made`: one on hold with names, and a bulk cancellation with a limit of cost. */
  readonly controlled: { readonly held: string; readonly bulk: string }
  /** Starts the service on what it is configured with, or on another database. */
  start(databaseUrl?: string): Promise<{ service: Service; client: Client } & AsyncDisposable>
  beWilling(): void
}

export async function openInstallation(): Promise<Installation> {
  await using pieces = new AsyncDisposableStack()
  const node = pieces.use(await startAnvil({ mining: 'manual' }))
  let willing = false
  const receiver = pieces.use(
    await startReceiver(signingKey, (_, response) => {
      if (!willing) response.writeHead(503).end()
    }),
  )
  const directory = await mkdtemp(join(tmpdir(), 'rescind-move-'))
  pieces.defer(() => rm(directory, { recursive: true, force: true }))
  const files: ServiceFiles = {
    networks: [{ name: 'localhost', rpcUrls: [node.url], averageBlocktimeMs: 100 }],
    relayers: [{ id: 'one', privateKey: devAccount(0).key, policies: { max_in_flight: 2 } }],
  }
  const start: Installation['start'] = async (databaseUrl) => {
    const service = await startService({
      ...files,
      directory,
      env: {
        API_KEY: apiKey,
        STORAGE_ENCRYPTION_KEY: storageKey(1),
        WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      },
    })
    const client = openClient(service.url, apiKey)
    const end = async () => {
      await client[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    }
    return { service, client, [Symbol.asyncDispose]: end }
  }
  await using running = await start()
  const { client } = running
  await manage(client, 'POST', '/notifications', {
    ...{ id: 'hook', type: 'webhook', url: receiver.url, signing_key: signingKey },
  })
  await manage(client, 'PATCH', '/relayers/one', { notification_id: 'hook' })
  await manage(client, 'POST', '/signers', { id: 'sealed', type: 'plain', config: { key: devAccount(1).key } })
  await manage(client, 'POST', '/relayers', {
    ...{ id: 'made', name: 'made', network: 'localhost', network_type: 'evm', signer_id: 'sealed', paused: false },
  })
  await manage(client, 'POST', '/signers', { id: 'gone', type: 'plain', config: { key: devAccount(2).key } })
  await manage(client, 'POST', '/relayers', {
    ...{ id: 'gone', name: 'gone', network: 'localhost', network_type: 'evm', signer_id: 'gone', paused: false },
  })
  await manage(client, 'DELETE', '/relayers/gone')
  const key = await manage(client, 'POST', '/api-keys', { name: 'shop', scopes: ['read', 'send'] })
  const ids = await fill(client, node)
  const idempotent = await sendOnce(client)
  const controlled = await control(client)
  await running.service.stop()

  const everything = pieces.move()
  return {
    node,
    directory,
    receiver,
    ids,
    token: key.key,
    idempotent,
    controlled,
    start,
    beWilling() {
      willing = true
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

const payment = { to: receiverOfPayments, value: '1', gas_limit: 21_000, speed: 'average' }

async function fill(client: Client, node: Anvil): Promise<Installation['ids']> {
  const send = async (body: object = {}) => (await client.send('one', { ...payment, ...body })).id
  const stands = async (id: string, ...statuses: string[]) => {
    await until(async () => statuses.includes((await client.get('one', id)).status), { what: `${id} ${statuses}` })
  }
  const mineUntil = (what: string, isSo: () => Promise<boolean>) =>
    until(
      async () => {
        if (await isSo()) return true
        await node.mine()
        return false
      },
      { everyMs: 100, what },
    )
  const ended = (id: string) => async () => ['confirmed', 'failed'].includes((await client.get('one', id)).status)
  const confirmed = await send()
  // Reverts: the initial code is one invalid instruction.
  const failed = (await client.send('one', { value: '0', data: '0xfe', gas_limit: 100_000, speed: 'average' })).id
  await mineUntil('the first two at their end', async () => (await ended(confirmed)()) && (await ended(failed)()))
  const won = await send()
  await stands(won, 'submitted')
  await client.cancel('one', won)
  await mineUntil('a race won', async () => (await client.cancellation('one', won)).final)
  const inPool = await send()
  const racing = await send()
  await stands(inPool, 'submitted')
  await stands(racing, 'submitted')
  await client.cancel('one', racing)
  await until(async () => (await client.attempts('one', racing)).length > 1, { what: 'the no-op' })
  const queued = await send()
  const dropped = await send()
  await client.cancel('one', dropped)
  return { confirmed, failed, won, inPool, racing, queued, dropped }
}

async function sendOnce(client: Client): Promise<Installation['idempotent']> {
  const key = 'order-17'
  const answer = await client.request('POST', '/relayers/made/transactions', {
    body: payment,
    headers: { 'idempotency-key': key },
  })
  const { id } = (answer.body as { data: { id: string } }).data
  return { body: payment, key, id }
}

export const named = { external_id: 'invoice-1', tags: ['payroll', 'november'], note: 'for November' }

async function control(client: Client): Promise<Installation['controlled']> {
  const send = async (body: object) => (await client.send('made', { ...payment, ...body })).id
  const held = await send({ ...named, hold: true })
  const [flying, dropped] = [await send({ value: '2' }), await send({ hold: true, tags: ['payroll'] })]
  await until(async () => (await client.get('made', flying)).status === 'submitted', { what: 'one in the pool' })
  const answer = await client.request('POST', '/bulk-cancellations', {
    body: {
      ...{ name: 'November', reason: 'a wrong file', relayers: ['made'], filter: { ids: [flying, dropped] } },
      max_cost: '1000000000000000000',
    },
    headers: { 'idempotency-key': 'november' },
  })
  return { held, bulk: (answer.body as { data: { id: string } }).data.id }
}

/** All that can be read, as of a moment at which nothing changes. */
export async function seen({ service, client }: { service: Service; client: Client }): Promise<object> {
  let before = ''
  return until(
    async () => {
      const all = await look(service, client)
      const now = JSON.stringify(all)
      const same = now === before
      before = now
      return same ? all : undefined
    },
    { everyMs: 300, what: 'nothing to change any more' },
  )
}

async function look(service: Service, client: Client): Promise<object> {
  const reported: Record<string, unknown> = {}
  const read = async (path: string) => {
    const { status, body } = await client.request('GET', path)
    reported[path] = JSON.parse(JSON.stringify({ status, body }, throughStarts))
    return body as { data: { id: string }[] }
  }
  for (const path of ['/signers', '/notifications', '/networks', '/api-keys', '/audit-log?per_page=100'])
    await read(path)
  await read('/notifications/hook/dead-letters')
  const bulks = await read('/bulk-cancellations?per_page=100')
  for (const { id } of bulks.data) await read(`/bulk-cancellations/${id}/transactions`)
  const relayers = await read('/relayers?per_page=100')
  for (const { id } of [...relayers.data, { id: 'gone' }]) {
    const at = `/relayers/${id}/transactions`
    const transactions = await read(`${at}?per_page=100&include=labels`)
    for (const transaction of transactions.data ?? []) {
      for (const part of ['', '/attempts', '/cancellation', '/hold']) await read(`${at}/${transaction.id}${part}`)
    }
  }
  return { ...reported, events: await eventsOf(service) }
}

/** Of the whole history, without what its transactions look like now. */
async function eventsOf(service: Service): Promise<readonly EventView[]> {
  await using stream = openEventStream(service.url, apiKey, { query: 'after=0' })
  let count = -1
  await until(
    () => {
      const isAll = stream.events.length === count
      count = stream.events.length
      return isAll && count > 0
    },
    { everyMs: 300, what: 'events' },
  )
  return [...stream.events]
}

/** Each start of a service broadcasts again what is in flight, and notes when, and that the node had it. */
function throughStarts(name: string, value: unknown): unknown {
  const { kind } = (name === 'outcome' ? value : {}) as { kind?: string }
  return kind === 'accepted' || kind === 'alreadyKnown' ? 'a node has it' : value
}
