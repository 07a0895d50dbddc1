// A burst at a relayer without max_in_flight: the window doubles while blocks take all of it, and a bulk cancellation in the
// middle ends in true verdicts. On anvil, and in Hardhat's strict pool.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { type AnyStage, anvilStage, hardhatStage } from './support/stage.ts'

const body = { to: devAccount(5).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }

describe.each([
  ['anvil', () => anvilStage({ relayers: { burst: {} } })],
  ['Hardhat', () => hardhatStage({ relayers: { burst: {} } })],
] as const)('on %s', (_, open) => {
  let stage: AnyStage
  beforeAll(async () => {
    stage = await open()
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  async function send(count: number): Promise<void> {
    const transactions = Array.from({ length: count }, () => body)
    const { status } = await stage.client.request('POST', '/relayers/burst/transactions/batch', {
      body: { transactions },
    })
    expect(status).toBe(200)
  }

  async function nonceAt(block: 'latest' | 'pending'): Promise<number> {
    return Number(await stage.node.rpc('eth_getTransactionCount', [stage.sender('burst').address, block]))
  }

  async function inPool(): Promise<number> {
    return (await nonceAt('pending')) - (await nonceAt('latest'))
  }

  async function countOf(status: string): Promise<number> {
    const { body } = await stage.client.request('GET', `/relayers/burst/transactions?status=${status}&per_page=1`)
    return (body as { pagination: { total_items: number } }).pagination.total_items
  }

  test('while blocks take everything in flight the window doubles, and no more than that', async () => {
    await send(500)
    await send(500)
    let widest = 16
    await until(
      async () => {
        const waiting = await inPool()
        expect(waiting).toBeLessThanOrEqual(2 * widest)
        widest = Math.max(widest, waiting)
        await stage.node.mine()
        return waiting >= 128
      },
      // At a steady pace: the window doubles only where the last doubling raised the rate.
      { what: '128 in the pool', everyMs: 1_000, limitMs: 120_000 },
    )
    await until(
      async () => {
        await stage.node.mine()
        return (await countOf('confirmed')) === 1_000
      },
      { what: 'all to be confirmed', everyMs: 1_000, limitMs: 120_000 },
    )
  })

  test('a bulk cancellation in the middle: each verdict says what the chain says, and no nonce is left', async () => {
    const before = await nonceAt('latest')
    await send(400)
    await until(async () => (await inPool()) >= 128, { what: '128 in the pool' })
    const { queued_for_cancellation_transaction_ids: ids } = await stage.client.cancelPending('burst')
    expect(ids).toHaveLength(400)
    await until(
      async () => {
        await stage.node.mine()
        return (
          (await countOf('pending')) + (await countOf('submitted')) + (await countOf('sent')) === 0 &&
          (await inPool()) === 0
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
    const raced = decided.filter(({ state }) => state !== 'dropped')
    const winners = await Promise.all(
      raced.map(({ winner }) => stage.node.rpc<{ to: string }>('eth_getTransactionByHash', [winner?.hash])),
    )
    const isNoOp = winners.map(({ to }) => to === stage.sender('burst').address.toLowerCase())
    expect(raced.map(({ state }) => state)).toEqual(isNoOp.map((won) => (won ? 'won' : 'lost')))
    const spent = (await nonceAt('latest')) - before
    expect(raced.length).toBeGreaterThanOrEqual(128)
    expect(spent).toBe(raced.length)
  })
})
