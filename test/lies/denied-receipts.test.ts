// A node that denies every receipt: bodies of blocks prove what became of a nonce, so every verdict still comes, and is true.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import { lieAbout } from '../../tooling/lying-node.ts'
import { cancel, inPool, mineUntil, pay, verdict } from '../e2e/support/play.ts'
import { lyingStage, seats } from './support/lying-stage.ts'

test.each(seats)('%s denies every receipt: the verdict is the one that the chain shows', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.liar.lie(lieAbout('eth_getTransactionReceipt', () => null))
  await cancel(stage, payment)
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const { state, winner } = await verdict(stage, payment, ({ final }) => final)
  const [mined] = await minedFrom(stage.node, sender.address)
  expect({ state, hash: winner?.hash }).toEqual({ state: mined?.value === 0n ? 'won' : 'lost', hash: mined?.hash })
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})
