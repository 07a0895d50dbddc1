// A network without EIP-1559: payload and no-op are legacy transactions, and a cancellation is won all the same.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { decode } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, noOpInPool, pay, verdict } from './support/play.ts'
import { hardhatStage, type Stage } from './support/stage.ts'

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({
    requiredConfirmations: 2,
    features: [],
    relayers: { market: {}, named: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test.each([
  ['market', {}],
  ['named', { gas_price: '70000000001' }],
])('canceled in the pool, priced by %s', async (id, body) => {
  const sender = stage.sender(id)
  const payment = await pay(stage, sender, body)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  const noOp = await noOpInPool(stage, payment)
  const [original, ...noOps] = stage.rows.attempts(payment.id).map(({ raw }) => decode(raw))
  expect(noOps).toHaveLength(1)
  expect([original?.type, noOps[0]?.type]).toEqual(['legacy', 'legacy'])
  expect(10n * (noOps[0]?.gasPrice ?? 0n)).toBeGreaterThanOrEqual(11n * (original?.gasPrice ?? 0n))
  const mined = await audit(stage, sender)
  expect(mined.map(({ hash, type }) => [hash, type])).toEqual([[noOp, 0]])
  expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({ state: 'won' })
})
