// The database is put back from an older copy, and the chain does not go back with it: what the copy still has in its
// queue, and the lost part of the history has sent, executes once; and each status agrees with the chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom, nonceOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { copyDatabase, putBack } from './support/copy.ts'
import { cancel, inPool, mineUntil, type Payment, pay, payTimes, view } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: {
      one: { max_in_flight: 1 },
      two: { max_in_flight: 1 },
      three: { max_in_flight: 1 },
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const gwei = 1_000_000_000n

async function paidTo(payments: readonly Payment[]): Promise<readonly number[]> {
  const mined = await minedFrom(stage.node, payments[0]?.sender.address ?? '')
  return payments.map((payment) => mined.filter(({ to }) => same(to, payment.to)).length)
}

async function mineTo(sender: Sender, nonce: number): Promise<void> {
  await mineUntil(
    stage,
    `nonce ${nonce} of ${sender.id}`,
    async () => (await nonceOf(stage.node, sender.address)) >= nonce,
  )
}

test('mined, in flight and in the pool since: each executes once, by what the lost part has signed', async () => {
  const sender = stage.sender('one')
  const payloads = [
    {},
    { speed: 'fast' },
    { gas_price: String(50n * gwei) },
    { gas_price: String(50n * gwei), access_list: [{ address: sender.address, storage_keys: [] }], gas_limit: 40_000 },
    {},
  ]
  const payments: Payment[] = []
  for (const each of payloads) payments.push(await pay(stage, sender, each))
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  // The last of them stays in the pool.
  await mineTo(sender, 4)
  await inPool(stage, sender, [4])
  const sent = stage.rows.transactionsOf(sender.id).map(({ id }) => stage.rows.attempts(id).map(({ hash }) => hash))

  await putBack(stage)
  expect(stage.rows.transactionsOf(sender.id).filter(({ status }) => status === 'pending')).toHaveLength(4)
  const late = await pay(stage, sender)
  await audit(stage, sender)
  const all = [...payments, late]
  expect(await paidTo(all)).toEqual(all.map(() => 1))
  for (const [index, payment] of payments.entries()) {
    const reported = await view(stage, payment)
    expect(reported).toMatchObject({ status: 'confirmed', nonce: index })
    expect(sent[index]).toContain(reported.hash)
    if (index > 0)
      expect(reported.status_reason).toMatch(/^sent by a part of its history that this database does not hold/)
  }
  // The bytes are on record again, to the last one.
  expect(stage.rows.attempts(payments[3]?.id ?? '')[0]?.raw.slice(0, 4)).toBe('0x01')
  expect((await view(stage, late)).nonce).toBe(5)
})

test('a cancellation that the copy forgets: the others executed without it, it is sent after them, and none twice', async () => {
  const sender = stage.sender('two')
  const payments = await payTimes(stage, sender, 3)
  const [, forgotten] = payments
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  if (forgotten) await cancel(stage, forgotten)
  await mineTo(sender, 2)

  await putBack(stage)
  await audit(stage, sender)
  expect(await paidTo(payments)).toEqual([1, 1, 1])
  const nonces = await Promise.all(payments.map(async (payment) => (await view(stage, payment)).nonce))
  expect(nonces).toEqual([0, 2, 1])
})

const isUnheld = /^waits: nonce 1 was used by transactions that this database does not hold/

test('while what the copy does not hold is not final, the queue waits and says so; what came since waits behind it', async () => {
  const sender = stage.sender('three')
  const payments = await payTimes(stage, sender, 2)
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await mineTo(sender, 1)
  await inPool(stage, sender, [1])

  await putBack(stage)
  const [, second] = payments
  if (!second) throw new Error('two were paid')
  await mineUntil(stage, 'a reason', async () => (await view(stage, second)).status_reason !== undefined)
  // The only endpoint has to repeat the count for 15 seconds before it is a reason to search.
  const reported = await until(
    async () => {
      const seen = await view(stage, second)
      return isUnheld.test(String(seen.status_reason)) && seen
    },
    { what: () => `the search\n${stage.service.logs().slice(-3000)}` },
  )
  expect(reported.status).toBe('pending')
  await audit(stage, sender)
  expect(await paidTo(payments)).toEqual([1, 1])
})
