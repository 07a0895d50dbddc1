// A node that invents blocks on top of a true one: one of three. The others are followed, and payments and cancellations end.
import { expect, test } from 'vitest'
import { inventedHeads } from '../../tooling/invented-heads.ts'
import { minedFrom } from '../../tooling/ledger.ts'
import { cancel, inPool, mineUntil, pay, view } from '../e2e/support/play.ts'
import { lyingStage } from './support/lying-stage.ts'

test.each([
  ['a few blocks ahead', 3],
  ['a million blocks ahead', 1_000_000],
])('one of three invents blocks, %s: the branch of the others is followed', async (_, ahead) => {
  await using stage = await lyingStage('one of three', { relayers: { one: {} }, requiredConfirmations: 3 })
  const sender = stage.sender('one')
  const first = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const began = Date.now()
  stage.liar.lie(inventedHeads(() => ahead + Math.floor((Date.now() - began) / 100)))
  const second = await pay(stage, sender)
  await cancel(stage, first)
  await mineUntil(stage, 'a payment', async () => (await view(stage, second)).status === 'confirmed')
  await mineUntil(stage, 'a verdict', async () => (await stage.client.cancellation('one', first.id)).final)
  expect(stage.liar.lies()).toBeGreaterThan(0)
  const mined = await minedFrom(stage.node, sender.address)
  const { state, winner } = await stage.client.cancellation('one', first.id)
  const [of0, of1] = [0, 1].map((nonce) => mined.find((each) => each.nonce === nonce))
  expect({ state, hash: winner?.hash }).toEqual({ state: of0?.value === 0n ? 'won' : 'lost', hash: of0?.hash })
  expect(of1?.value).toBe(second.value)
  expect(mined).toHaveLength(2)
})
