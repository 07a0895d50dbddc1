// The service is killed at the event of a relayer, in the commit of the report and right after it: the condition has one event for its beginning
// and one for its end, each with one id at every receiver.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { anvilStage } from './support/stage.ts'

const ether = 10n ** 18n
const signingKey = 'a-signing-key-of-32-characters-or-more'
const dies = ['--import', fileURLToPath(new URL('./support/die-at-an-event.ts', import.meta.url))]

test('killed in the commit and right after it, at the beginning and at the end: one event id for each', async () => {
  await using receiver = await startReceiver(signingKey)
  await using stage = await anvilStage({
    relayers: { one: { min_balance: `${ether}` } },
    notifications: [{ id: 'hook', url: receiver.url, signingKey }],
    service: { env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }, nodeArguments: dies },
  })
  const { service, node, rows } = stage
  const { address } = stage.sender('one')
  const events = () => rows.events('relayer one').map(({ terminal }) => terminal)
  const report = () =>
    databaseIn(service.directory).read<{ observed_at: number; conditions: string }>(
      'SELECT observed_at, conditions FROM owner_reports WHERE relayer_id = ?',
      'one',
    )[0]
  const observedAt = () => Number(report()?.observed_at ?? 0)

  /** While it is down, as the next process finds it at once. */
  const holds = async (wei: bigint) => node.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`])

  async function diesAt(point: 'die-in-the-commit' | 'die-after-the-commit') {
    const file = join(service.directory, point)
    writeFileSync(file, '')
    await service.restart()
    await until(() => !existsSync(file), { what: () => `the point to die at\n${service.logs()}` })
    await service.kill9()
  }

  async function looksAgain() {
    const before = observedAt()
    await service.restart()
    await until(() => observedAt() > before, { what: () => `another report\n${service.logs()}` })
  }

  await service.stop()
  await holds(ether / 2n)
  await diesAt('die-in-the-commit')
  expect(report()?.conditions).toContain('balance_below_minimum')
  expect(events()).toEqual([])
  await diesAt('die-after-the-commit')
  expect(events()).toEqual([0])
  await looksAgain()
  expect(events()).toEqual([0])

  await service.stop()
  await holds(2n * ether)
  await diesAt('die-in-the-commit')
  expect(events()).toEqual([0])
  await diesAt('die-after-the-commit')
  expect(events()).toEqual([0, 1])
  await looksAgain()
  expect(events()).toEqual([0, 1])

  const ids = (isEnd: boolean) =>
    new Set(receiver.taken.flatMap(({ event }) => (event.terminal === isEnd ? [event.id] : [])))
  await until(() => ids(true).size > 0, { what: 'the end at the receiver' })
  expect(ids(false).size).toBe(1)
  expect(ids(true).size).toBe(1)
  expect(receiver.taken.every(({ event }) => event.event === 'relayer_attention')).toBe(true)
})
