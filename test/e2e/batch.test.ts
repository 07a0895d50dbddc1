// A batch is stored whole or not at all, across a kill.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import type { TransactionView } from '../../tooling/client.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const ether = 10n ** 18n

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: { killed: { min_balance: String(10n ** 6n * ether) } },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const sends = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    to: `0x${randomBytes(20).toString('hex')}`,
    value: String(index + 1),
    gas_limit: 21_000,
  }))

async function post(relayer: string, count: number): Promise<TransactionView[]> {
  const answer = await stage.client.request('POST', `/relayers/${relayer}/transactions/batch`, {
    body: { transactions: sends(count) },
  })
  expect(answer.status).toBe(200)
  return (answer.body as { data: TransactionView[] }).data
}

test('killed while batches come in: each is there whole, or not at all', async () => {
  const { id } = stage.sender('killed')
  const answered: TransactionView[][] = []
  const sending = Array.from({ length: 8 }, async () => {
    for (;;) answered.push(await post(id, 25))
  })
  const ends = Promise.allSettled(sending)
  await expect.poll(() => answered.length, { interval: 1 }).toBeGreaterThan(3)
  await stage.service.kill9()
  await ends
  await stage.service.restart()
  const rows = stage.rows.transactionsOf(id)
  const stored = new Set<string>(rows.map((row) => row.id))
  for (const { id: answeredId } of answered.flat()) expect(stored.has(answeredId)).toBe(true)
  const inOrder = rows.toSorted((one, other) => one.sequence - other.sequence)
  expect(inOrder.length % 25).toBe(0)
  expect(inOrder.map(({ sequence }) => sequence)).toEqual([...inOrder.keys()].map((index) => index + 1))
  expect(inOrder.map(({ value }) => Number(value))).toEqual(inOrder.map((_, index) => (index % 25) + 1))
})
