// A whole installation moves: what clients saw before they see after, and what was under way comes to its end.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { openClient, until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { type Installation, named, openInstallation, seen } from './support/installation.ts'
import { transfer } from './support/run-transfer.ts'

let installation: Installation
let postgres: Postgres
let url: string
beforeAll(async () => {
  ;[installation, postgres] = await Promise.all([openInstallation(), startPostgres()])
  url = await postgres.database()
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
})

const digestOfFile = () =>
  createHash('sha256')
    .update(readFileSync(join(installation.directory, 'rescind.db')))
    .digest('hex')
const tables = () =>
  postgres.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    new URL(url).pathname.slice(1),
  )

test('rehearsed while the service runs, moved when it has ended: everything answers the same, and goes on to its end', async () => {
  const { directory, ids, idempotent, controlled, token, node, receiver } = installation
  let before: object
  {
    await using running = await installation.start()
    before = await seen(running)
    const rehearsal = await transfer(directory, url, '--dry-run')
    expect(rehearsal).toMatchObject({
      code: 0,
      reported: expect.stringContaining('nothing was changed on either side'),
    })
    expect(await tables()).toEqual([])
    const refused = await transfer(directory, url)
    expect(refused).toMatchObject({
      code: 1,
      reported: expect.stringMatching(/^a service runs on .*rescind\.db: stop it/),
    })
    await running.service.stop()
  }

  const stopped = digestOfFile()
  expect(await transfer(directory, url, '--dry-run')).toMatchObject({ code: 0 })
  expect([digestOfFile(), await tables()]).toEqual([stopped, []])

  const moved = await transfer(directory, url)
  expect(moved).toMatchObject({
    code: 0,
    reported: expect.stringMatching(/all \d+ rows of \d+ tables are the same on both/),
  })
  expect(moved.reported).not.toContain(new URL(url).password)

  // The file is not worked on any more, and says where everything is.
  await expect(installation.start()).rejects.toThrow(
    /the data of .*rescind\.db was moved to the PostgreSQL database "rescind_1" .*: set DATABASE_URL to that database/,
  )
  expect(await transfer(directory, url)).toMatchObject({
    code: 0,
    reported: expect.stringContaining('nothing was left to be'),
  })
  const elsewhere = await transfer(directory, await postgres.database())
  expect(elsewhere).toMatchObject({
    code: 1,
    reported: expect.stringContaining('has no record of that transfer: set DATABASE_URL'),
  })

  await using running = await installation.start(url)
  const { client, service } = running
  expect(await seen(running)).toEqual(before)
  await using shop = openClient(service.url, token)
  expect(await shop.get('one', ids.queued)).toMatchObject({ status: 'pending' })
  const again = await client.request('POST', '/relayers/made/transactions', {
    body: idempotent.body,
    headers: { 'idempotency-key': idempotent.key },
  })
  expect(again).toMatchObject({ status: 200, body: { data: { id: idempotent.id } } })

  // Names, holds, and a bulk cancellation with its counts and shares came along, and its race goes on.
  const released = `/relayers/made/transactions/${controlled.held}/release`
  expect(await client.request('GET', `/relayers/made/transactions?external_id=${named.external_id}`)).toMatchObject({
    body: { data: [{ id: controlled.held, status: 'pending' }] },
  })
  const bulk = async () => (await client.request('GET', `/bulk-cancellations/${controlled.bulk}`)).body
  expect(await bulk()).toMatchObject({
    data: { name: 'November', max_cost: '1000000000000000000', counts: { dropped: 1, racing: 1, won: 0 } },
  })
  expect(await client.request('POST', released)).toMatchObject({ status: 200 })

  // What was in flight, raced for or queued ends, what is new comes behind it, and its events after all others.
  const late = await client.send('one', { to: devAccount(5).address, value: '1', gas_limit: 21_000, speed: 'average' })
  const sealed = idempotent.id
  installation.beWilling()
  const done = async () => {
    await node.mine()
    const views = await Promise.all([ids.inPool, ids.queued, late.id].map((id) => client.get('one', id)))
    const made = await Promise.all([sealed, controlled.held].map((id) => client.get('made', id)))
    const { final } = await client.cancellation('one', ids.racing)
    return final && [...views, ...made].every(({ status }) => status === 'confirmed')
  }
  await until(done, { everyMs: 100, what: () => `all to end\n${service.logs().slice(-3_000)}` })
  expect(await client.cancellation('one', ids.racing)).toMatchObject({ state: 'won', final: true })
  const isFinal = async () => {
    await node.mine()
    return JSON.stringify(await bulk()).includes('"final":true')
  }
  await until(isFinal, { everyMs: 100, what: 'the object' })
  expect(await bulk()).toMatchObject({ data: { counts: { dropped: 1, racing: 0, won: 1, safe_to_retry: 'all' } } })
  const isReported = (id: string) =>
    receiver.taken.some(({ event }) => event.terminal && event.payload.id === id && event.event !== '')
  await until(() => [ids.confirmed, ids.racing, late.id].every(isReported), { limitMs: 60_000, what: 'the webhooks' })
  expect(receiver.forged).toEqual([])
  const numbers = receiver.taken.map(({ event }) => event.id)
  expect(new Set(numbers).size).toBe(numbers.length)

  expect(await transfer(directory, url)).toMatchObject({
    code: 0,
    reported: expect.stringContaining('nothing was left to be'),
  })
  const undone = await transfer(directory, url, '--undo')
  expect(undone).toMatchObject({ code: 1, reported: expect.stringContaining('a service runs on') })
  await service.stop()
  const worked = await transfer(directory, url, '--undo')
  expect(worked).toMatchObject({
    code: 1,
    reported: expect.stringMatching(/a service has written to .* since the transfer/),
  })
}, 240_000)
