// The recipe for x402 payments: its code is read from the page, imports the client of the repository, and settles against a contract that
// executes each authorization once.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Address, getAddress, type Hex, pad, toHex } from 'viem'
import { sign } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, openClient } from '../../src/client/client.ts'
import type { Anvil } from '../../tooling/anvil.ts'
import { mineUntil } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

interface Payment {
  token: Address
  authorization: { from: Address; to: Address; value: string; validAfter: string; validBefore: string; nonce: Hex }
  signature: Hex
}

interface Recipe {
  settle(client: Client, relayer: string, payment: Payment): Promise<string>
  paymentState(client: Client, relayer: string, id: string): Promise<'paid' | 'unpaid' | 'open'>
}

const token = getAddress('0x00000000000000000000000000000000c0ffee99')
/** Reverts for an authorization's nonce that it has executed: nonce = calldataload(0xa4); sload(nonce) ? revert : sstore(nonce, 1). */
const once = '0x60a4358054600d5760019055005b600080fd'
const relayer = 'payments'

let stage: Stage<Anvil>
let recipe: Recipe
let folder: string
let client: Client
beforeAll(async () => {
  stage = await anvilStage({ relayers: { [relayer]: {} } })
  await stage.node.rpc('anvil_setCode', [token, once])
  client = openClient({ url: stage.service.url, apiKey: stage.service.apiKey })
  folder = await mkdtemp(join(tmpdir(), 'rescind-recipe-'))
  const page = await readFile('docs/recipes.md', 'utf8')
  const [, code = ''] = /Save this as \*\*settle\.ts\*\*:\n\n```ts\n(.*?)```/s.exec(page) ?? []
  const file = join(folder, 'settle.ts')
  const at = (path: string) => pathToFileURL(join(process.cwd(), path)).href
  const resolved = code
    .replace("'rescind/client'", `'${at('src/client/client.ts')}'`)
    .replace("'viem'", `'${import.meta.resolve('viem')}'`)
  await writeFile(file, resolved)
  recipe = await import(pathToFileURL(file).href)
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true })
})

const inAnHour = () => BigInt(Math.floor(Date.now() / 1000) + 3_600)

async function payment(number: number, validBefore = inAnHour()): Promise<Payment> {
  const signature = await sign({ hash: pad(toHex(number)), privateKey: pad('0x01'), to: 'hex' })
  const from = getAddress('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf')
  const times = { validAfter: '0', validBefore: String(validBefore) }
  const authorization = { from, to: token, value: '5', ...times, nonce: pad(toHex(number)) }
  return { token, authorization, signature }
}

const state = (id: string) => recipe.paymentState(client, relayer, id)

test('one authorization is settled once, for any number of tries, and is paid when that is final', async () => {
  const one = await payment(1)
  const ids = await Promise.all([1, 2, 3].map(() => recipe.settle(client, relayer, one)))
  expect(new Set(ids).size).toBe(1)
  const [id = ''] = ids
  expect(await state(id)).toBe('open')
  await mineUntil(stage, 'the end', async () => (await state(id)) !== 'open')
  expect(await state(id)).toBe('paid')
  expect(await recipe.settle(client, relayer, one)).toBe(id)
  expect(await stage.node.rpc('eth_getStorageAt', [token, pad(toHex(1)), 'latest'])).toBe(pad('0x01'))
})

test('a canceled settlement is unpaid, and its authorization can be settled once more', async () => {
  const two = await payment(2)
  const first = await recipe.settle(client, relayer, two)
  await client.cancel(relayer, first)
  await mineUntil(stage, 'the end', async () => (await state(first)) !== 'open')
  expect(await state(first)).toBe('unpaid')
  const second = await recipe.settle(client, relayer, two)
  expect(second).not.toBe(first)
  await mineUntil(stage, 'the end', async () => (await state(second)) !== 'open')
  expect(await state(second)).toBe('paid')
})

test('an id that settles something else is no payment', async () => {
  const three = await payment(3)
  const id = await recipe.settle(client, relayer, three)
  const other = { ...three, authorization: { ...three.authorization, value: '6' } }
  await expect(recipe.settle(client, relayer, other)).rejects.toThrow(`transaction ${id} has this external_id`)
})

// 9999-12-31T23:59:59Z is the last second that RFC 3339 can write.
test.each([
  [4, 253_402_300_799n, '9999-12-31T23:59:59.000Z'],
  [5, 253_402_300_800n, undefined],
  [6, 2n ** 256n - 1n, undefined],
])('authorization %i, valid before %i, is settled and paid', async (number, validBefore, validUntil) => {
  const sends: unknown[] = []
  const recording: Client = {
    ...client,
    send(to, input) {
      sends.push(input.valid_until)
      return client.send(to, input)
    },
  }
  const id = await recipe.settle(recording, relayer, await payment(number, validBefore))
  expect(sends).toEqual([validUntil])
  await mineUntil(stage, 'the end', async () => (await state(id)) !== 'open')
  expect(await state(id)).toBe('paid')
})
