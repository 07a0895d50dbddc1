// Four eyes on a real chain: the recipe, followed literally, and what one key alone reaches, which is nothing.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../tooling/client.ts'
import { balanceOf, nonceOf } from '../../tooling/ledger.ts'
import { reached } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const receiver = devAccount(8).address

let stage: Stage<Anvil>
const clients: Client[] = []
beforeAll(async () => {
  stage = await anvilStage({
    relayers: {
      treasury: {},
      strict: { four_eyes: true },
      killed: { four_eyes: true },
      small: { four_eyes: true, hold_above_value: '1000' },
    },
  })
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await stage?.[Symbol.asyncDispose]()
})

async function keyOf(name: string, scopes: readonly string[], relayer: string): Promise<Client> {
  const answer = await stage.client.request('POST', '/api-keys', { body: { name, scopes, relayers: [relayer] } })
  const client = openClient(stage.service.url, (answer.body as { data: { key: string } }).data.key)
  clients.push(client)
  return client
}

const at = (relayer: string, id: string, rest: string) => `/relayers/${relayer}/transactions/${id}${rest}`
const digestOf = async (client: Client, relayer: string, id: string) => {
  const { body } = await client.request('GET', at(relayer, id, '/hold'))
  return (body as { data: { payload_digest: string } }).data.payload_digest
}
const release = (client: Client, relayer: string, id: string, digest: string) =>
  client.request('POST', at(relayer, id, '/release'), { body: { payload_digest: digest } })
const send = (client: Client, relayer: string, value = '7') =>
  client.send(relayer, { to: receiver, value, gas_limit: 21_000 })

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function recipeBlocks(): Promise<{ readonly blocks: readonly string[]; readonly payee: string }> {
  const page = await readFile(join(root, 'docs/recipes.md'), 'utf8')
  const [, recipe = ''] = page.split('\n## Payouts that two people approve\n')
  const blocks = [...(recipe.split('\n## ')[0] ?? '').matchAll(/```sh\n([\s\S]*?)```/g)].map((found) => found[1] ?? '')
  expect(blocks.length).toBe(6)
  const [payee = ''] = /0x[0-9a-fA-F]{40}/.exec(recipe) ?? []
  return { blocks, payee }
}

async function follow(blocks: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-recipe-'))
  folders.push(folder)
  const script = `set -eu\nrescind() { "${process.execPath}" "${join(root, 'src/main.ts')}" "$@"; }\n${blocks.join('\n')}`
  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder,
    env: { ...process.env, API_KEY: stage.service.apiKey, RESCIND_URL: stage.service.url },
  })
  return stdout
}

test('the recipe, block by block: it pays once both have done their part', async () => {
  const { blocks, payee } = await recipeBlocks()
  const before = await balanceOf(stage.node, payee)
  const mining = new AbortController()
  const mined = mineUntil(mining.signal)
  const stdout = await follow([...blocks, 'echo "ID=$ID DIGEST=$DIGEST"'])
  mining.abort()
  await mined
  const [, id = '', digest = ''] = /ID=(\S+) DIGEST=(\S+)/.exec(stdout) ?? []
  expect(await balanceOf(stage.node, payee)).toBe(before + 250_000_000_000_000_000n)
  const { body } = await stage.client.request('GET', at('treasury', id, '/hold'))
  expect((body as { data: { four_eyes: object } }).data.four_eyes).toMatchObject({
    released: { payload_digest: digest },
  })
})

test('the recipe, with another payload once the approver has read the first: the release is refused', async () => {
  const { blocks } = await recipeBlocks()
  const [policy = '', sending = '', reading = '', hashing = '', releasing = ''] = blocks
  const other =
    'API_KEY=$PAYOUTS_KEY rescind tx replace $ID -r treasury --to 0x00000000000000000000000000000000000000b7'
  const stdout = await follow([
    ...[policy, sending, reading, `${other} --value 9ether --gas-limit 21000`, hashing],
    `{ ${releasing.trim()}; } || echo "exit $?"`,
    'echo "ID=$ID"',
  ])
  expect(stdout).toMatch(/ refused .*\(PAYLOAD_DIGEST_DIFFERS\)\nexit 3\n/)
  const [, id = ''] = /ID=(\S+)/.exec(stdout) ?? []
  expect(stage.rows.transaction(id)).toMatchObject({ status: 'held', nonce: null })
  await stage.client.cancel('treasury', id)
})

async function mineUntil(signal: AbortSignal): Promise<void> {
  await until(
    async () => {
      if (!signal.aborted) await stage.node.mine()
      return signal.aborted
    },
    { everyMs: 300, what: 'the end of the recipe', limitMs: 120_000 },
  )
}

test('one key with every scope but admin pays nothing, whatever it tries; a second one ends it', async () => {
  const [anna, ben] = [
    await keyOf('anna', ['read', 'send', 'cancel', 'release', 'sign'], 'strict'),
    await keyOf('ben', ['read', 'release'], 'strict'),
  ]
  const sender = stage.sender('strict')
  const { id } = await send(anna, 'strict')
  const shown = await digestOf(ben, 'strict', id)
  expect((await release(anna, 'strict', id, shown)).status).toBe(403)
  const put = await anna.request('PUT', at('strict', id, ''), { body: { to: receiver, value: '8', gas_limit: 21_000 } })
  expect(put.status).toBe(200)
  expect((await release(anna, 'strict', id, await digestOf(anna, 'strict', id))).status).toBe(403)
  expect((await release(ben, 'strict', id, shown)).headers['relayer-error-code']).toBe('PAYLOAD_DIGEST_DIFFERS')
  const signed = await anna.request('POST', '/relayers/strict/sign', { body: { message: 'hello' } })
  expect(signed.headers['relayer-error-code']).toBe('POLICY_VIOLATION')
  const raw = { jsonrpc: '2.0', id: 1, method: 'eth_signTransaction', params: [{}] }
  const rpc = await anna.request('POST', '/relayers/strict/rpc', { body: raw })
  expect(rpc.body).toMatchObject({ error: { code: -32601 } })
  await stage.node.mine(3)
  expect(stage.rows.attempts(id)).toEqual([])
  expect(await nonceOf(stage.node, sender.address)).toBe(0)

  const before = await balanceOf(stage.node, receiver)
  expect((await release(ben, 'strict', id, await digestOf(ben, 'strict', id))).status).toBe(200)
  await reached(stage, { sender, id, to: receiver, value: 8n }, 'submitted')
  // Its payload has a nonce now, and two keys behind it: a PUT would set another.
  const late = await anna.request('PUT', at('strict', id, ''), {
    body: { to: receiver, value: '9', gas_limit: 21_000 },
  })
  expect(late.headers['relayer-error-code']).toBe('TOO_LATE_TO_HOLD')
  await stage.node.mine(2)
  await reached(stage, { sender, id, to: receiver, value: 8n }, 'confirmed')
  expect(await balanceOf(stage.node, receiver)).toBe(before + 8n)
})

test('with hold_above_value no fee goes out by one key: neither a price of its own, nor an estimate of much gas', async () => {
  const [anna, ben] = [
    await keyOf('anna', ['read', 'send'], 'small'),
    await keyOf('ben', ['read', 'send', 'cancel', 'release'], 'small'),
  ]
  const sender = stage.sender('small')
  const before = await balanceOf(stage.node, sender.address)
  const dear = await anna.send('small', {
    to: receiver,
    value: '0',
    gas_limit: 21_000,
    gas_price: `${19n * 10n ** 16n}`,
  })
  expect(stage.rows.transaction(dear.id)).toMatchObject({ phase: 'held', nonce: null })
  // Its code stores eight words, which costs some 200,000 gas.
  const spender = '0x00000000000000000000000000000000c0ffee08'
  const stores = [1, 2, 3, 4, 5, 6, 7, 8].map((slot) => `6001600${slot}55`)
  await stage.node.rpc('anvil_setCode', [spender, `0x${stores.join('')}00`])
  const costly = (await anna.request('POST', '/relayers/small/transactions', { body: { to: spender, value: '7' } }))
    .body
  const { id } = (costly as { data: { id: string } }).data
  const next = await send(anna, 'small')
  await reached(stage, { sender, id: next.id, to: receiver, value: 7n }, 'submitted')
  expect(stage.rows.transaction(id)).toMatchObject({ phase: 'held', nonce: null })
  expect(stage.rows.attempts(id)).toEqual([])
  await stage.node.mine(2)
  await reached(stage, { sender, id: next.id, to: receiver, value: 7n }, 'confirmed')
  expect(before - (await balanceOf(stage.node, sender.address))).toBeLessThan(10n ** 16n)

  const digest = await digestOf(ben, 'small', id)
  expect((await release(anna, 'small', id, digest)).status).toBe(401)
  expect((await release(ben, 'small', id, digest)).status).toBe(200)
  await reached(stage, { sender, id, to: spender, value: 7n }, 'submitted')
  await stage.node.mine(2)
  await reached(stage, { sender, id, to: spender, value: 7n }, 'confirmed')
  await stage.client.cancel('small', dear.id)
})

test('killed between the release and the broadcast: the release stays, and it pays once', async () => {
  const [anna, ben] = [await keyOf('a', ['read', 'send'], 'killed'), await keyOf('b', ['read', 'release'], 'killed')]
  const sender = stage.sender('killed')
  const { id } = await send(anna, 'killed')
  const digest = await digestOf(ben, 'killed', id)
  expect((await release(ben, 'killed', id, digest)).status).toBe(200)
  await stage.service.kill9()
  await stage.service.restart()
  await reached(stage, { sender, id, to: receiver, value: 7n }, 'submitted', 'mined', 'confirmed')
  await stage.node.mine(2)
  await reached(stage, { sender, id, to: receiver, value: 7n }, 'confirmed')
  expect(await nonceOf(stage.node, sender.address)).toBe(1)
})
