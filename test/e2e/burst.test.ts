// A burst at a relayer without max_in_flight: the window doubles with each block that takes all, and a bulk cancellation in
// the middle ends in true verdicts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>

beforeAll(async () => {
  stage = await anvilStage({ relayers: { burst: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const body = { to: devAccount(5).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }

async function send(count: number): Promise<void> {
  const transactions = Array.from({ length: count }, () => body)
  const { status } = await stage.client.request('POST', '/relayers/burst/transactions/batch', {
    body: { transactions },
  })
  expect(status).toBe(200)
}

async function inPool(count: number): Promise<void> {
  const pooled = async () => Number((await stage.node.rpc<{ pending: string }>('txpool_status')).pending)
  await until(async () => (await pooled()) === count, { what: `${count} in the pool` })
}

async function countOf(status: string): Promise<number> {
  const { body } = await stage.client.request('GET', `/relayers/burst/transactions?status=${status}&per_page=1`)
  return (body as { pagination: { total_items: number } }).pagination.total_items
}

test('each block that takes everything in flight doubles the window', async () => {
  await send(300)
  for (const count of [16, 32, 64, 128]) {
    await inPool(count)
    await stage.node.mine()
  }
  await inPool(60)
  await stage.node.mine()
  await until(async () => (await countOf('confirmed')) === 300, { what: 'all to be confirmed' })
})

test('a bulk cancellation in the middle: each verdict says what the chain says, and no nonce is left', async () => {
  const nonceOf = async () =>
    Number(await stage.node.rpc('eth_getTransactionCount', [stage.sender('burst').address, 'latest']))
  const before = await nonceOf()
  await send(400)
  await inPool(256)
  const { queued_for_cancellation_transaction_ids: ids } = await stage.client.cancelPending('burst')
  expect(ids).toHaveLength(400)
  await until(
    async () => {
      await stage.node.mine()
      return (
        (await countOf('pending')) + (await countOf('submitted')) + (await countOf('sent')) === 0 &&
        (await nonceOf()) - before === 256
      )
    },
    { what: 'every nonce to be spent', everyMs: 300 },
  )
  const verdicts = async () => Promise.all(ids.map((id) => stage.client.cancellation('burst', id)))
  await until(async () => (await verdicts()).every(({ final }) => final), {
    what: 'every verdict to be final',
    everyMs: 500,
  })
  const decided = await verdicts()
  expect(decided.filter(({ state }) => state === 'dropped')).toHaveLength(400 - 256)
  const raced = decided.filter(({ state }) => state !== 'dropped')
  const winners = await Promise.all(
    raced.map(({ winner }) => stage.node.rpc<{ to: string }>('eth_getTransactionByHash', [winner?.hash])),
  )
  const isNoOp = winners.map(({ to }) => to === stage.sender('burst').address.toLowerCase())
  expect(raced.map(({ state }) => state)).toEqual(isNoOp.map((won) => (won ? 'won' : 'lost')))
  const spent = (await nonceOf()) - before
  expect(spent).toBe(256)
})
