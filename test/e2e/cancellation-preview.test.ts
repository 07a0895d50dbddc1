// The preview's cost of today is the signed one, while the block stands; on a real chain.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxWei } from '../../src/domain/units.ts'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { decode } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { headSeen, inPool, noOpInPool, type Payment, pay, payTimes, reached } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

const gwei = 10n ** 9n

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: {
      ...{ first: { max_in_flight: 6 }, second: { max_in_flight: 6 }, third: { max_in_flight: 6 } },
      capped: { max_in_flight: 6, cancel_gas_price_cap: String(50n * gwei) },
      ...{ cut: { max_in_flight: 2 }, hung: { max_in_flight: 2 } },
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

interface Preview {
  readonly free: number
  readonly no_ops: number
  readonly over_cap: number
  readonly gaps: number
  readonly racing: number
  readonly too_late: number
  readonly cost: { readonly expected: string; readonly today: string; readonly max?: string }
  readonly window: {
    readonly present?: number
    readonly most: number
    readonly cost: { readonly today: string; readonly max?: string }
    readonly balance_covers: { readonly today: boolean; readonly max?: boolean }
  }
  readonly fee_per_gas: { readonly today?: string; readonly max?: string }
  readonly balance: string
  readonly cancel_reserve: string
  readonly balance_covers: { readonly today: boolean; readonly max?: boolean }
}

async function previewOf({ id }: { readonly id: string }): Promise<Preview> {
  const answer = await stage.client.request('GET', `/relayers/${id}/transactions/pending/cancellation-preview`)
  expect(answer.status).toBe(200)
  return (answer.body as { data: Preview }).data
}

/** The most that the no-ops can cost, read from the bytes that were signed. */
function signedCost(payments: readonly Payment[]): bigint {
  const noOps = payments.flatMap(({ id }) => stage.rows.attempts(id).filter(({ kind }) => kind === 'cancel'))
  return noOps.reduce((sum, { raw }) => {
    const { maxFeePerGas, gasPrice } = decode(raw)
    return sum + 21_000n * (maxFeePerGas ?? gasPrice ?? 0n)
  }, 0n)
}

function highestOffer(payments: readonly Payment[]): bigint {
  const noOps = payments.flatMap(({ id }) => stage.rows.attempts(id).filter(({ kind }) => kind === 'cancel'))
  const offers = noOps.map(({ raw }) => decode(raw)).map(({ maxFeePerGas, gasPrice }) => maxFeePerGas ?? gasPrice ?? 0n)
  return maxWei(0n, ...offers)
}

/** Prices of every kind, below and above the market's. */
const mixes: Record<'first' | 'second' | 'third' | 'capped', readonly object[]> = {
  first: [{ speed: 'safeLow' }, { speed: 'fast' }, { speed: 'fastest' }],
  second: [
    { max_fee_per_gas: String(90n * gwei), max_priority_fee_per_gas: String(7n * gwei) },
    { gas_price: String(33n * gwei) },
    { max_fee_per_gas: String(3n * gwei), max_priority_fee_per_gas: '1' },
  ],
  third: [{ gas_price: String(4n * gwei) }, { speed: 'average' }, { gas_price: String(77n * gwei + 1n) }, {}, {}, {}],
  capped: [{ gas_price: String(20n * gwei) }, { speed: 'fast' }],
}

describe.each(Object.entries(mixes))('%s', (id, mix) => {
  test('preview, cancel, compare: to the wei', async () => {
    const sender = stage.sender(id)
    const inFlight: Payment[] = []
    for (const fees of mix) inFlight.push(await pay(stage, sender, fees))
    await inPool(stage, sender, [...inFlight.keys()])
    for (const payment of inFlight) await reached(stage, payment, 'submitted')
    await headSeen(stage)
    const preview = await previewOf(sender)
    expect(preview).toMatchObject({ no_ops: mix.length, over_cap: 0, gaps: 0, free: 0, racing: 0, too_late: 0 })
    expect(preview.balance_covers.today).toBe(true)
    expect(BigInt(preview.cost.expected)).toBeLessThanOrEqual(BigInt(preview.cost.today))
    const cap = id === 'capped' ? String(BigInt(mix.length) * 21_000n * 50n * gwei) : undefined
    expect(preview.cost.max).toBe(cap)
    expect(preview.fee_per_gas.max).toBe(id === 'capped' ? String(50n * gwei) : undefined)
    const { window } = preview
    expect(window).toMatchObject({ present: 6, most: 6, balance_covers: { today: true } })
    expect(BigInt(window.cost.today)).toBeGreaterThanOrEqual(6n * 21_000n * BigInt(preview.fee_per_gas.today ?? 0))
    expect(window.cost.max).toBe(id === 'capped' ? String(6n * 21_000n * 50n * gwei) : undefined)

    await stage.client.cancelPending(sender.id)
    for (const payment of inFlight) await noOpInPool(stage, payment)
    expect(signedCost(inFlight)).toBe(BigInt(preview.cost.today))
    expect(highestOffer(inFlight)).toBe(BigInt(preview.fee_per_gas.today ?? 0))
    const racing = await previewOf(sender)
    expect(racing).toMatchObject({ no_ops: 0, racing: mix.length, committed: preview.cost.today, cost: { today: '0' } })
    const burned = (await audit(stage, sender)).reduce((sum, { fee }) => sum + fee, 0n)
    expect(burned).toBeLessThanOrEqual(BigInt(preview.cost.today))
    // All of them stood in the next block, whose base fee the preview had.
    expect(burned).toBe(BigInt(preview.cost.expected))
  })
})

const counts = { free: 3, no_ops: 2, gaps: 0, racing: 0, too_late: 0 }

async function twoInFlightAndThreeQueued(sender: Sender): Promise<readonly Payment[]> {
  const inFlight = await payTimes(stage, sender, 2)
  await inPool(stage, sender, [0, 1])
  await payTimes(stage, sender, 3)
  for (const payment of inFlight) await reached(stage, payment, 'submitted')
  return inFlight
}

test('while no node answers, it has what the database shows and no amount, and everything is canceled', async () => {
  const sender = stage.sender('cut')
  const inFlight = await twoInFlightAndThreeQueued(sender)
  await stage.line.cut()
  // Readings at the last head hold until the next look at the head is due.
  await until(async () => !('cost' in (await previewOf(sender))), { what: 'the node to be missed' })
  const all = await stage.client.request('GET', '/relayers/cut/transactions/pending/cancellation-preview')
  expect((all.body as { data: object }).data).toEqual(counts)
  expect(JSON.stringify((all.body as { metadata: object }).metadata)).toContain('No node answers')
  const one = await stage.client.request('GET', `/relayers/cut/transactions/${inFlight[1]?.id}/cancellation-preview`)
  expect((one.body as { data: object }).data).toEqual({ ...counts, free: 0, no_ops: 1 })
  expect(await stage.client.cancelPending('cut')).toMatchObject({ total_processed: 5 })
  expect(await previewOf(sender)).toEqual({ ...counts, free: 0, no_ops: 0, racing: 2 })
  await stage.line.mend()
  for (const payment of inFlight) await noOpInPool(stage, payment)
  expect((await audit(stage, sender)).length).toBe(2)
})

test('a node that says nothing is waited for five seconds', async () => {
  const sender = stage.sender('hung')
  const inFlight = await twoInFlightAndThreeQueued(sender)
  stage.node.freeze()
  await until(async () => !('cost' in (await previewOf(sender))), { what: 'the node to be missed' })
  expect(await stage.client.cancelPending('hung')).toMatchObject({ total_processed: 5 })
  stage.node.thaw()
  for (const payment of inFlight) await noOpInPool(stage, payment)
  expect((await audit(stage, sender)).length).toBe(2)
})
