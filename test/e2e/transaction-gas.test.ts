// The most gas that a transaction may have (EIP-7825), on a node that refuses more: anvil with the rules of Osaka.

import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const most = 2 ** 24
/** Counts down from 565,000 at 26 gas each: 14.7 million, which a fifth more would bring above the limit. */
const counter = '0x00000000000000000000000000000000000c0047'
const counterCode = '0x62089f085b600190038060045700'
let stage: Stage<Anvil>

beforeAll(async () => {
  stage = await anvilStage({
    relayers: { named: {}, estimated: {} },
    profile: { max_transaction_gas: most },
    anvil: { limitsTransactionGas: true, blockGas: 60_000_000 },
  })
  await stage.node.rpc('anvil_setCode', [counter, counterCode])
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function settled(relayer: string, id: string, on = stage) {
  return until(
    async () => {
      await on.node.mine()
      const view = await on.client.get(relayer, id)
      return ['confirmed', 'failed'].includes(view.status) ? view : undefined
    },
    // Each estimate executes 14.7 million gas many times.
    { limitMs: 120_000, what: () => `the end of ${id}` },
  )
}

const limitOf = async (hash = '') =>
  Number((await stage.node.rpc<{ gas: string }>('eth_getTransactionByHash', [hash])).gas)

test('this node refuses more, and the service fails such a transaction before it has a nonce', async () => {
  const { key } = devAccount(9)
  const raw = await privateKeyToAccount(key).signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce: 0, to: counter, gas: BigInt(most) + 1n },
    ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n },
  })
  await expect(stage.node.rpc('eth_sendRawTransaction', [raw])).rejects.toThrow(/gas/i)
  const over = await stage.client.send('named', { to: counter, value: '0', gas_limit: most + 1 })
  const failed = await settled('named', over.id)
  expect(failed).toMatchObject({ status: 'failed', status_reason: expect.stringContaining(`${most}`) })
  expect(failed).not.toHaveProperty('nonce')
  const exact = await stage.client.send('named', { to: counter, value: '0', gas_limit: most })
  const done = await settled('named', exact.id)
  expect(done).toMatchObject({ status: 'confirmed', nonce: 0 })
  expect(await limitOf(done.hash)).toBe(most)
})

describe('on a chain whose cap no table has', () => {
  let uncapped: Stage<Anvil>
  beforeAll(async () => {
    uncapped = await anvilStage({
      relayers: { estimated: {} },
      anvil: { limitsTransactionGas: true, blockGas: 60_000_000 },
    })
    await uncapped.node.rpc('anvil_setCode', [counter, counterCode])
  })
  afterAll(() => uncapped?.[Symbol.asyncDispose]())

  test('a refused margin is left out, and the next payload has none', async () => {
    const sendOne = async () => {
      const { id } = await uncapped.client.send('estimated', { to: counter, value: '0' })
      const done = await settled('estimated', id, uncapped)
      return { ...done, limits: uncapped.rows.attempts(id).map(({ gas_limit }) => Number(gas_limit)) }
    }
    const first = await sendOne()
    expect(first).toMatchObject({ status: 'confirmed', nonce: 0 })
    expect(first.limits.length, 'signed once more').toBe(2)
    expect(first.limits[0]).toBeGreaterThan(most)
    const next = await sendOne()
    expect(next).toMatchObject({ status: 'confirmed', nonce: 1 })
    expect(next.limits).toEqual(first.limits.slice(1))
  })
})

test('an estimate whose margin would pass the limit is signed without a margin', async () => {
  const { id } = await stage.client.send('estimated', { to: counter, value: '0' })
  const done = await settled('estimated', id)
  expect(done.status).toBe('confirmed')
  const limit = await limitOf(done.hash)
  expect(limit).toBeGreaterThan(14_600_000)
  expect(limit).toBeLessThanOrEqual(most)
})
