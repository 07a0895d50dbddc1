// What one request costs at most: processor time and memory of the largest legal and the largest illegal request of each route.
import { writeFile } from 'node:fs/promises'
import { request } from 'undici'
import { devAccount } from '../tooling/dev-accounts.ts'
import { startRpcServer } from '../tooling/rpc-server.ts'
import type { Service } from '../tooling/service.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { type Document, fill, type Ids, type Knock, knocks, knocksOn } from './door-requests.ts'
import type { Figure } from './figure.ts'
import { peakMemoryMb } from './memory.ts'
import { processorSeconds } from './processor-time.ts'

const all = '/api/v1/relayers/bench/transactions'
const storageKey = Buffer.alloc(32, 1).toString('base64')

export async function measureDoor(options: BenchOptions): Promise<Figure[]> {
  await using node = await startRpcServer()
  node.react({
    do: 'answer',
    each: ({ method }) => ({ result: method === 'eth_getLogs' ? 'x'.repeat(1_024 * 1_024 - 100) : '0x7a69' }),
  })
  await using service = await startBenchService(options, {
    profileName: 'door',
    networks: [{ name: 'localhost', rpcUrls: [node.url] }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key }],
    env: {
      ...{ RATE_LIMIT_REQUESTS_PER_SECOND: '1000000', RATE_LIMIT_BURST_SIZE: '1000000' },
      ...{ STORAGE_ENCRYPTION_KEY: storageKey, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
    },
  })
  const ids = await fillUp(service)
  const document = JSON.parse((await ask(service, 'GET', '/api/v1/openapi.json')).text) as Document
  const figures: Figure[] = []
  for (const knock of knocksOn(document, ids)) figures.push(...(await measure(service, knock)))
  return figures
}

/** A full page of the largest transactions, and the ids that paths name. */
async function fillUp(service: Service): Promise<Ids> {
  const first = await ask(service, 'POST', all, JSON.stringify({ to: devAccount(1).address, value: '1' }))
  for (let sent = 0; sent < 7; sent += 1) await ask(service, 'POST', `${all}/batch`, fill)
  const signer = { id: 'made', type: 'plain', config: { key: devAccount(2).key } }
  await ask(service, 'POST', '/api/v1/signers', JSON.stringify(signer))
  const notification = { id: 'made', type: 'webhook', url: 'http://127.0.0.1:9/hook' }
  await ask(service, 'POST', '/api/v1/notifications', JSON.stringify(notification))
  const key = await ask(service, 'POST', '/api/v1/api-keys', JSON.stringify({ name: 'read', scopes: ['read'] }))
  return {
    ...{ relayer_id: 'bench', signer_id: 'made', notification_id: 'made', network_id: 'evm:localhost', nonce: '0' },
    transaction_id: String(JSON.parse(first.text).data.id),
    api_key_id: String(JSON.parse(key.text).data.id),
  }
}

async function measure(service: Service, { method, path, bodies, ...knock }: Knock): Promise<Figure[]> {
  // Linux forgets the peak so far (proc_pid_clear_refs(5)).
  await writeFile(`/proc/${service.pid}/clear_refs`, '5')
  const before = await processorSeconds(service.pid)
  const statuses = new Set<number>()
  for (let count = 0; count < knocks; count += 1)
    statuses.add((await ask(service, method, path, bodies?.[count])).status)
  const ms = ((await processorSeconds(service.pid)) - before) * 1_000
  const what = [knock.which, knock.what].filter((word) => word !== '').join(': ')
  const name = `${knock.scope}: ${knock.route}, ${what} (${[...statuses].join(', ')})`
  return [
    { name: `${name}: processor time`, value: ms / knocks, unit: 'ms' },
    { name: `${name}: peak memory`, value: await peakMemoryMb(service.pid), unit: 'MB' },
  ]
}

async function ask(
  { url, apiKey }: Service,
  method: Knock['method'],
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const answer = await request(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) })
  const { statusCode: status } = answer
  if (!String(answer.headers['content-type']).startsWith('text/event-stream'))
    return { status, text: await answer.body.text() }
  // A stream of events has no end of its own.
  answer.body.on('error', () => undefined).destroy()
  return { status, text: '' }
}
