// One endpoint shows payloads that wait in the pool in a true block, or only counts them as spent: each can be canceled all the same, and
// its no-op goes out.
import { expect, test } from 'vitest'
import { headOf, minedFrom, poolOf } from '../../tooling/ledger.ts'
import type { Lie } from '../../tooling/lying-node.ts'
import { cancel, inPool, mineUntil, type Payment, payTimes, view } from '../e2e/support/play.ts'
import { leftOutUntil, mineWithout } from './support/left-out.ts'
import { type LyingStage, lyingStage, seatsAmongOthers } from './support/lying-stage.ts'

/** From this block on the account has spent `more` nonces. */
const counted =
  (from: number, more: number): Lie =>
  ({ method, params }, honest) => {
    if (method !== 'eth_getTransactionCount' || !('result' in honest) || !Array.isArray(params)) return undefined
    if (params[1] === 'pending' || (params[1] !== 'latest' && Number(params[1]) < from)) return undefined
    return Number(honest.result) < more ? { result: `0x${more.toString(16)}` } : undefined
  }

/** The block shows these hashes, with receipts, and the account has spent their nonces. */
function shown(block: { readonly number: string; readonly hash: string }, hashes: readonly string[]): Lie {
  const from = Number(block.number)
  return (call, honest) => {
    if (!('result' in honest) || !Array.isArray(call.params)) return undefined
    const [requested, isFull] = call.params as [string, unknown]
    if (call.method === 'eth_getTransactionReceipt' && hashes.includes(requested)) {
      const where = { transactionHash: requested, blockHash: block.hash, blockNumber: block.number }
      const fees = { gasUsed: '0x5208', effectiveGasPrice: '0x3b9aca00' }
      return { result: { ...where, ...fees, status: '0x1', logs: [] } }
    }
    const found = honest.result as { readonly hash: string; readonly transactions?: readonly unknown[] } | null
    if (call.method === 'eth_getBlockByNumber' && found?.hash === block.hash && isFull === false) {
      return { result: { ...found, transactions: [...(found.transactions ?? []), ...hashes] } }
    }
    return counted(from, hashes.length)(call, honest)
  }
}

/** Two payments that wait, and the liar's story about them. */
async function storyOn(
  stage: LyingStage,
  before: () => Promise<void> = async () => undefined,
): Promise<readonly Payment[]> {
  const sender = stage.sender('one')
  const payments = await payTimes(stage, sender, 2)
  await inPool(stage, sender, [0, 1])
  await before()
  await mineWithout(stage, payments)
  const number = `0x${(await headOf(stage.node)).toString(16)}`
  const { hash } = await stage.node.rpc<{ hash: string }>('eth_getBlockByNumber', [number, false])
  const hashes = payments.flatMap(({ id }) => stage.rows.attempts(id).slice(0, 1)).map((each) => each.hash)
  stage.liar.lie(shown({ number, hash }, hashes))
  return payments
}

async function isTooLate({ client }: LyingStage, method: 'PUT' | 'DELETE', { id, to }: Payment): Promise<void> {
  const body = { to, value: '1', gas_limit: 21_000, speed: 'average' }
  const answer = await client.request(method, `/relayers/one/transactions/${id}`, method === 'PUT' ? { body } : {})
  expect(answer.status).toBe(400)
  expect(answer.headers['relayer-error-code']).toMatch(/^TRANSACTION_ALREADY_(MINED|CONFIRMED)$/)
}

/** Both endpoints' words are kept, and the payment may be canceled. */
const isContradicted = (stage: LyingStage, payment: Payment) => async () => {
  const { body } = await stage.client.request('GET', '/networks/evm:localhost/contradictions')
  return (body as { data: readonly unknown[] }).data.length > 0 && (await view(stage, payment)).status === 'submitted'
}

test.each(seatsAmongOthers)(
  '%s shows two payloads of the pool in a block: both are canceled, and the no-ops win',
  {
    timeout: 180_000,
  },
  async (seat) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} }, requiredConfirmations: 12 })
    const payments = await storyOn(stage)
    const [first, second] = payments
    if (!first || !second) throw new Error('a payment is missing')
    await leftOutUntil(stage, payments, 'contradiction', isContradicted(stage, second))
    // Two of three refute it for good: then it is in flight again.
    if (seat === 'one of two') await isTooLate(stage, 'PUT', first)
    const preview = await stage.client.request('GET', '/relayers/one/transactions/pending/cancellation-preview')
    expect(preview.body).toMatchObject({ data: { no_ops: 2, too_late: 0 } })
    expect((await cancel(stage, first)).status).toBe('canceled')
    const { body: bulk } = await stage.client.request('DELETE', '/relayers/one/transactions/pending')
    expect(JSON.stringify(bulk)).toContain(second.id)
    await leftOutUntil(stage, payments, 'no-op', async () => {
      const kinds = payments.map(({ id }) => stage.rows.attempts(id).some(({ kind }) => kind === 'cancel'))
      return kinds.every(Boolean)
    })
    const states = async () => Promise.all(payments.map(({ id }) => stage.client.cancellation('one', id)))
    await mineUntil(stage, 'both to win', async () =>
      (await states()).every(({ state, final }) => state === 'won' && final),
    )
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test.each(seatsAmongOthers)(
  '%s shows them where a tag makes final: nothing is confirmed, and a DELETE is taken',
  {
    timeout: 180_000,
  },
  async (seat) => {
    await using stage = await lyingStage(seat, {
      ...{ relayers: { one: {} }, requiredConfirmations: 3, profile: { finality: 'finalized' } },
    })
    const payments = await storyOn(stage)
    const [first] = payments
    if (!first) throw new Error('a payment is missing')
    const statuses = new Set<string>()
    for (let blocks = 0; blocks < 6; blocks += 1) {
      await mineWithout(stage, payments)
      statuses.add((await view(stage, first)).status)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    // On a slow machine the contradiction is found later.
    await leftOutUntil(stage, payments, 'contradiction', isContradicted(stage, first))
    expect([...statuses]).not.toContain('confirmed')
    expect((await cancel(stage, first)).status).toBe('canceled')
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test('one of two shows them while the other is silent: a DELETE is refused until the other answers', {
  timeout: 180_000,
}, async () => {
  await using stage = await lyingStage('one of two', { relayers: { one: {} }, requiredConfirmations: 12 })
  const payments = await storyOn(stage, () => stage.line.cut())
  const [first, second] = payments
  if (!first || !second) throw new Error('a payment is missing')
  // The step of the story's own block may have read the account before it.
  await leftOutUntil(stage, payments, 'false status', async () => (await view(stage, first)).status === 'mined')
  await isTooLate(stage, 'DELETE', first)
  await stage.line.mend()
  await leftOutUntil(stage, payments, 'contradiction', isContradicted(stage, second))
  expect((await cancel(stage, first)).status).toBe('canceled')
})

test('the only one shows them: they are confirmed, although no block holds them', { timeout: 180_000 }, async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: {} }, requiredConfirmations: 2 })
  const payments = await storyOn(stage)
  await leftOutUntil(stage, payments, 'false verdict', async () => {
    const statuses = await Promise.all(payments.map(async (each) => (await view(stage, each)).status))
    return statuses.every((status) => status === 'confirmed')
  })
  for (const payment of payments) await isTooLate(stage, 'DELETE', payment)
  expect(await minedFrom(stage.node, stage.sender('one').address)).toEqual([])
})

test.each([...seatsAmongOthers, 'the only one'] as const)(
  '%s counts a payload of the pool as spent: its DELETE sends a no-op',
  {
    timeout: 180_000,
  },
  async (seat) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} }, requiredConfirmations: 12 })
    const sender = stage.sender('one')
    const payments = await payTimes(stage, sender, 1)
    const [payment] = payments
    if (!payment) throw new Error('a payment is missing')
    await inPool(stage, sender, [0])
    stage.liar.lie(counted((await headOf(stage.node)) + 1, 1))
    await leftOutUntil(stage, payments, 'false count', async () => stage.liar.lies() > 0)
    expect((await cancel(stage, payment)).status).toBe('canceled')
    await leftOutUntil(stage, payments, 'no-op', async () =>
      stage.rows.attempts(payment.id).some(({ kind }) => kind === 'cancel'),
    )
    await mineUntil(stage, 'the no-op to win', async () => {
      const { state, final } = await stage.client.cancellation('one', payment.id)
      return state === 'won' && final
    })
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test.each([...seatsAmongOthers, 'the only one'] as const)(
  '%s counts a payload as spent that the pools have lost: it is repeated unless nobody counts lower',
  {
    timeout: 180_000,
  },
  async (seat) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} }, requiredConfirmations: 3 })
    const sender = stage.sender('one')
    const payments = await payTimes(stage, sender, 1)
    const [payment] = payments
    if (!payment) throw new Error('a payment is missing')
    await inPool(stage, sender, [0])
    stage.liar.lie(counted((await headOf(stage.node)) + 1, 1))
    await leftOutUntil(stage, [], 'false count', async () => stage.liar.lies() > 0)
    if (seat === 'the only one') {
      for (let blocks = 0; blocks < 8; blocks += 1) {
        await mineWithout(stage, [])
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        expect(await poolOf(stage.node, sender.address)).toEqual(new Map())
      }
      expect(stage.rows.attempts(payment.id)).toHaveLength(1)
      stage.liar.repent()
    }
    await mineUntil(
      stage,
      'the payment to be confirmed',
      async () => (await view(stage, payment)).status === 'confirmed',
    )
    expect((await minedFrom(stage.node, sender.address)).map(({ value }) => value)).toEqual([payment.value])
  },
)
