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
  let isOver = false
  const watch = async (request: string) => {
    const connection = await openConnection(target.port)
    const timesMs: number[] = []
    do {
      const begun = performance.now()
      await connection.exchange(request)
      timesMs.push(performance.now() - begun)
    } while (!isOver)
    connection.close()
    return timesMs.sort((one, next) => one - next)
  }
  const cancel = async () => {
    const begun = performance.now()
    const body = { name: 'bench', reason: 'bench', filter: { to: canceledReceiver }, relayers: ids }
    const answer = await client.request('POST', '/bulk-cancellations', {
      body,
      headers: { 'idempotency-key': randomUUID() },
    })
    const answeredMs = performance.now() - begun
    const { id } = (answer.body as { data: { id: string } }).data
    const read = async () => (await client.request('GET', `/bulk-cancellations/${id}`)).body as { data: BulkView }
    const isWritten = async () => (await read()).data.parts.every(({ state }) => state === 'written')
    await until(isWritten, { everyMs: 20, limitMs, what: 'all rows to be written' })
    const writtenMs = performance.now() - begun
    isOver = true
    await mineUntilEmpty(anvil)
    await until(async () => (await read()).data.final, { everyMs: 50, limitMs, what: 'the last verdict' })
    const { counts } = (await read()).data
    const taken = counts.dropped + counts.won + counts.lost + counts.external
    if (taken !== matching) throw new Error(`the object canceled ${taken} transactions, not ${matching}`)
    return { answeredMs, writtenMs, finalMs: performance.now() - begun, won: counts.won }
  }
  const [health, posts, canceled] = await Promise.all([
    watch(`GET /api/v1/health HTTP/1.1\r\n${common}\r\n`),
    watch(
      `POST /api/v1/relayers/other/transactions HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${one.length}\r\n\r\n${one}`,
    ),
    cancel(),
  ])
  const at = (timesMs: readonly number[], share: number) => timesMs[Math.floor(timesMs.length * share)] ?? Number.NaN
  return [
    { name: 'an object that cancels 99,800 of 50 relayers, until the answer', value: canceled.answeredMs, unit: 'ms' },
    { name: '  until every row is written', value: canceled.writtenMs, unit: 'ms' },
    { name: `  until the last verdict, ${canceled.won} by no-ops`, value: canceled.finalMs, unit: 'ms' },
    ...(
      [
        ['health', health],
        ['a POST to another relayer', posts],
      ] as const
    ).flatMap(([what, timesMs]) => [
      { name: `  meanwhile ${what}, p50 of ${timesMs.length}`, value: at(timesMs, 0.5), unit: 'ms' },
      { name: `  meanwhile ${what}, p99`, value: at(timesMs, 0.99), unit: 'ms' },
      { name: `  meanwhile ${what}, slowest`, value: timesMs.at(-1) ?? Number.NaN, unit: 'ms', aim: '50 or less' },
    ]),
  ]
}

interface BulkView {
  readonly final: boolean
  readonly parts: readonly { readonly state: string }[]
  readonly counts: { readonly dropped: number; readonly won: number; readonly lost: number; readonly external: number }
}
