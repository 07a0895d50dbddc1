// 100,000 pending transactions of 50 relayers, canceled by one object with a filter, and meanwhile the requests of others, one after
// the other.
import { randomUUID } from 'node:crypto'
import { keccak256, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { mineUntilEmpty } from './bulk-cancel.ts'
import type { Figure } from './figure.ts'
import { openConnection } from './keep-alive.ts'
import { targetOf } from './load.ts'

const relayers = 50
const pendingOfEach = 2_000
const batch = 500
const canceledReceiver = devAccount(2).address
/** One transaction of each batch goes to this receiver, and the filter does not match it. */
const otherReceiver = devAccount(3).address
const maxInFlight = 4
const matching = (relayers * pendingOfEach * (batch - 1)) / batch
const limitMs = 600_000

export async function measureBulkObject(options: BenchOptions): Promise<Figure[]> {
  await using anvil: Anvil = await startAnvil({ mining: 'manual' })
  const keys = Array.from({ length: relayers }, (_, index) => keccak256(toHex(`bench relayer ${index}`)))
  for (const key of keys) await anvil.rpc('anvil_setBalance', [privateKeyToAddress(key), toHex(10n ** 21n)])
  const ids = keys.map((_, index) => `bench-${index}`)
  await using service = await startBenchService(options, {
    profileName: 'bulk-object',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 200 }],
    relayers: [...keys, devAccount(0).key].map((privateKey, index) => ({
      id: ids[index] ?? 'other',
      privateKey,
      policies: { max_in_flight: maxInFlight },
    })),
  })
  await using client = openClient(service.url, service.apiKey)
  const send = (to: string) => ({ to, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' })
  const one = JSON.stringify(send(otherReceiver))
  for (const id of ids) {
    const transactions = [...Array(batch - 1).fill(send(canceledReceiver)), send(otherReceiver)]
    for (let sent = 0; sent < pendingOfEach; sent += batch) {
      const answer = await client.request('POST', `/relayers/${id}/transactions/batch`, { body: { transactions } })
      if (answer.status !== 200) throw new Error(`batch: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  }
  const target = targetOf(service, 'other')
  const common = `Host: 127.0.0.1:${target.port}\r\nAuthorization: Bearer ${target.apiKey}\r\n`
  const watch = async (request: string, isOver: () => boolean) => {
    const connection = await openConnection(target.port)
    const timesMs: number[] = []
    do {
      const begun = performance.now()
      await connection.exchange(request)
      timesMs.push(performance.now() - begun)
    } while (!isOver())
    connection.close()
    return timesMs.sort((one, next) => one - next)
  }
  /** Requests of others until `work` is done. */
  const watchDuring = async <T>(work: () => Promise<T>) => {
    let isOver = false
    const done = () => isOver
    const [health, posts, result] = await Promise.all([
      watch(`GET /api/v1/health HTTP/1.1\r\n${common}\r\n`, done),
      watch(
        `POST /api/v1/relayers/other/transactions HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${one.length}\r\n\r\n${one}`,
        done,
      ),
      work().finally(() => {
        isOver = true
      }),
    ])
    return { result, figures: [...figuresOf('health', health), ...figuresOf('a POST to another relayer', posts)] }
  }
  const body = { name: 'bench', reason: 'bench', filter: { to: canceledReceiver }, relayers: ids }

  const preview = await watchDuring(async () => {
    const begun = performance.now()
    const answer = await client.request('POST', '/bulk-cancellations/preview', { body })
    if (answer.status !== 200) throw new Error(`preview: ${answer.status} ${JSON.stringify(answer.body)}`)
    return performance.now() - begun
  })
  const begun = performance.now()
  const cancellation = await watchDuring(async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await client.request('POST', '/bulk-cancellations', { body, headers })
    const answeredMs = performance.now() - begun
    const { id } = (answer.body as { data: { id: string } }).data
    const read = async () =>
      ((await client.request('GET', `/bulk-cancellations/${id}`)).body as { data: BulkView }).data
    const isWritten = async () => (await read()).parts.every(({ state }) => state === 'written')
    await until(isWritten, { everyMs: 20, limitMs, what: 'all rows to be written' })
    return { read, answeredMs, writtenMs: performance.now() - begun }
  })
  const { read, answeredMs, writtenMs } = cancellation.result
  await mineUntilEmpty(anvil)
  await until(async () => (await read()).final, { everyMs: 50, limitMs, what: 'the last verdict' })
  const finalMs = performance.now() - begun
  const { counts } = await read()
  const taken = counts.dropped + counts.won + counts.lost + counts.external
  if (taken !== matching) throw new Error(`the object canceled ${taken} transactions, not ${matching}`)
  return [
    { name: 'a preview of an object that cancels 99,800 of 50 relayers', value: preview.result, unit: 'ms' },
    ...preview.figures,
    { name: 'the object, until the answer', value: answeredMs, unit: 'ms' },
    { name: '  until every row is written', value: writtenMs, unit: 'ms' },
    { name: `  until the last verdict, ${counts.won} by no-ops`, value: finalMs, unit: 'ms' },
    ...cancellation.figures,
  ]
}

function figuresOf(what: string, sortedMs: readonly number[]): Figure[] {
  const at = (share: number) => sortedMs[Math.floor(sortedMs.length * share)] ?? Number.NaN
  return [
    { name: `  meanwhile ${what}, p50 of ${sortedMs.length}`, value: at(0.5), unit: 'ms' },
    { name: `  meanwhile ${what}, p99`, value: at(0.99), unit: 'ms' },
    { name: `  meanwhile ${what}, slowest`, value: sortedMs.at(-1) ?? Number.NaN, unit: 'ms', aim: '50 or less' },
  ]
}

interface BulkView {
  readonly final: boolean
  readonly parts: readonly { readonly state: string }[]
  readonly counts: { readonly dropped: number; readonly won: number; readonly lost: number; readonly external: number }
}
