// On anvil's Optimism a deposit from L1 may take a nonce that nobody signed for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../../tooling/anvil.ts'
import { startAnvil } from '../../../tooling/anvil.ts'
import { depositFromL1 } from '../../../tooling/rollups/deposits.ts'
import { audit } from '../support/audit.ts'
import { cancel, inPool, mineUntil, type Payment, pay, view } from '../support/play.ts'
import { type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await stageOn(await startAnvil({ mining: 'manual', network: 'optimism' }), {
    requiredConfirmations: 2,
    relayers: { deposited: {}, canceled: {}, receiving: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** L1 forces a transaction of the sender's into the next block, at the nonce of a payment that is in the pool. */
async function depositInsteadOf({ sender }: Payment): Promise<string> {
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'drop' })
  await stage.node.rpc('anvil_dropAllTransactions')
  const { address: to } = stage.sender('receiving')
  return depositFromL1(stage.node, { from: sender.address, to, value: 5n })
}

test('a deposit takes the nonce: it is foreign, and the payment is executed once, with the next nonce', async () => {
  const sender = stage.sender('deposited')
  const payment = await pay(stage, sender)
  await depositInsteadOf(payment)
  await stage.node.mine()
  stage.line.open()
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await view(stage, payment)).toMatchObject({ nonce: 1 })
  await audit(stage, sender, 1)
})

test('a deposit takes the nonce of a canceled payment: external, at no cost', async () => {
  const sender = stage.sender('canceled')
  const payment = await pay(stage, sender)
  const hash = await depositInsteadOf(payment)
  await cancel(stage, payment)
  await audit(stage, sender, 1)
  stage.line.open()
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    ...{ state: 'external', final: true, safe_to_retry: true, cost: '0', winner: { hash } },
  })
})
