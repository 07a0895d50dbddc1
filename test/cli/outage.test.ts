// An outage from the command line: one command shows which relayers are stuck, why and since when, and others end it.
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { type Outage, openOutage } from '../../tooling/outage.ts'
import { type Ran, start } from './support/packed.ts'

const ether = 10n ** 18n
const main = join(inject('packed'), 'dist/main.js')
let outage: Outage
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-outage-'))
  outage = await openOutage([main, 'start'])
})
afterAll(async () => {
  await outage?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const rescind = (...args: string[]): Promise<Ran> => {
  const { apiKey, url } = outage.service
  return start(main, args, { cwd: folder, env: { API_KEY: apiKey, RESCIND_URL: url } }).ended
}

test('three relayers are stuck for three reasons, and each is helped by a command', async () => {
  const { client, mine } = outage
  const { inFlight, poor, capped } = await outage.begin()

  const stuck =
    /\ncapped: gas_price_cap for \d+ s: waits: .*\n[\s\S]*\ndown: node_unreachable for \d+ s.*\n[\s\S]*\npoor: balance_short for \d+ s: waits: the balance \(0\.5 ether\)/
  let status = await rescind('status')
  await until(
    async () => {
      await mine()
      status = await rescind('status')
      return stuck.test(status.stdout)
    },
    { what: () => `three conditions\n${status.stdout}`, limitMs: 120_000, everyMs: 200 },
  )
  expect(status.exit).toBe(6)
  expect(status.stdout).toMatch(/\ndown +apart +0x\w+ +unreachable +0 +2 /)
  expect(status.stdout).toMatch(/\nwell +local +0x\w+ +ok +0 +0 +10,000 ether /)
  expect(status.stdout).not.toContain('\nwell:')
  const missing =
    /\n {2}top it up by: (0\.5\d+) ether for the next transaction, at least 1\.5\d+ ether for the first 2 that wait\n/
  expect(Number(missing.exec(status.stdout)?.[1])).toBeLessThan(0.51)

  // Without a node: recorded now, and raced for as soon as one answers.
  const canceled = await rescind('cancel', '--all', '-r', 'down', '--yes', '--json')
  expect(canceled.exit).toBe(5)
  expect(JSON.parse(canceled.stdout).counts).toMatchObject({ racing: 2 })
  await outage.setBalance('poor', 3n * ether)
  expect(await rescind('policies', 'set', 'gas_price_cap', '500gwei', '-r', 'capped')).toMatchObject({ exit: 0 })
  await outage.end(inFlight)

  const ended = async () => {
    const verdicts = await Promise.all(inFlight.map((id) => client.cancellation('down', id)))
    const sent = [...poor.map((id) => client.get('poor', id)), ...capped.map((id) => client.get('capped', id))]
    return (
      verdicts.every(({ final }) => final) && (await Promise.all(sent)).every((each) => each.status === 'confirmed')
    )
  }
  await until(
    async () => {
      await mine()
      return ended()
    },
    { what: 'the end of all', limitMs: 90_000, everyMs: 200 },
  )
  for (const id of inFlight)
    expect((await rescind('tx', 'get', id, '-r', 'down')).stdout).toMatch(/\nverdict +won, final\nsafe to retry +yes\n/)
  await until(
    async () => {
      await mine()
      status = await rescind('status')
      return status.exit === 0
    },
    { what: () => `no condition\n${status.stdout}`, limitMs: 90_000, everyMs: 200 },
  )
})

test('what hinders the process itself is shown, too, with what to do', async () => {
  const file = join(outage.service.directory, 'rescind.db')
  await rename(file, `${file}.away`)
  const { exit, stdout } = await rescind('status')
  await rename(`${file}.away`, file)
  expect(exit).toBe(6)
  expect(stdout).toMatch(
    /^this process: database_replaced for \d+ s\n {2}what to do: http:.*\/docs\/alerts\.md#database_replaced$/m,
  )
  expect((await rescind('status')).stdout).not.toContain('this process')
})
