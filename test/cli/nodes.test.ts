// rescind nodes: an operator finds the endpoint that is the cause, and a script reads whether a network is down.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { type NodesScene, setNodesScene } from '../../tooling/dashboard/nodes-scene.ts'
import { type Ran, start } from './support/packed.ts'

const main = join(inject('packed'), 'dist/main.js')
let scene: NodesScene
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-nodes-'))
  scene = await setNodesScene()
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const rescind = (...args: string[]): Promise<Ran> =>
  start(main, args, {
    cwd: folder,
    env: { API_KEY: scene.service.apiKey, RESCIND_URL: scene.service.url },
  }).ended

async function untilShown(pattern: RegExp): Promise<Ran> {
  let ran = await rescind('nodes')
  await until(
    async () => {
      ran = await rescind('nodes')
      return pattern.test(ran.stdout)
    },
    { what: () => `${pattern}\n${ran.stdout}${ran.stderr}`, limitMs: 90_000, everyMs: 500 },
  )
  return ran
}

test('each network has its line, its endpoints, and the reason of each that is not used', async () => {
  const { exit, stdout } = await untilShown(
    /: lagging: its head[\s\S]*: no_answer: did not answer[\s\S]*: wrong_chain: serves chain 1337, not 31337\n/,
  )
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^mixed \(chain 31337\): degraded\n {2}ENDPOINT +HOST +STATE +HEAD +AGE +BEHIND +READ/)
  expect(stdout).toMatch(
    /\n {2}0 +127\.0\.0\.1:\d+ +ok +\d+ +\d+ s +\d+ +\d+ s ago +\d+\/\d+ ms +\d+ +0 +anvil\/v\S+\n/,
  )
  expect(stdout).toMatch(/\n {2}3 127\S+ no_answer: did not .*; the last one \d+ s ago: HTTP 503\n/)
  expect(stdout).toContain(`what to do: ${scene.service.url}/docs/runbook.md#wrong_chain\n`)
  expect(stdout).toMatch(/\nunused \(chain 5\): unreported\n {2}no replica uses it; configured: 0 unused\.example\n$/)
  expect(stdout).not.toContain(scene.secret)
})

test('one network, as JSON, ends with 6 once it is down', async () => {
  const read = await rescind('nodes', '--network', 'calm', '--json')
  expect(read.exit).toBe(0)
  expect(JSON.parse(read.stdout)).toMatchObject([{ network: 'calm', state: 'ok' }])
  await scene.cutCalm()
  await scene.client.request('GET', '/relayers/quiet/balance')
  await untilShown(/\ncalm \(chain 1337\): down\n/)
  expect((await rescind('nodes')).exit).toBe(6)
  expect((await rescind('nodes', '--network', 'mixed')).exit).toBe(0)
  const wrong = await rescind('nodes', '--network', 'clam')
  expect(wrong).toMatchObject({ exit: 3, stderr: expect.stringContaining('there are: mixed, calm, unused') })
})
