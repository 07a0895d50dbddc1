// Where finality is the node's block tag: confirmed by blocks, final by the tag.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../../tooling/client.ts'
import { nonceOf, same } from '../../../tooling/ledger.ts'
import { type PrivatePool, startPrivatePool } from '../../../tooling/rollups/private-pool.ts'
import { audit } from '../support/audit.ts'
import { cancel, mineUntil, type Payment, pay, verdict, view } from '../support/play.ts'
import { type Sender, type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<PrivatePool>
beforeAll(async () => {
  stage = await stageOn(await startPrivatePool(), {
    requiredConfirmations: 2,
    profile: { pool: 'private', l1_fee: 'op_stack', finality: 'finalized' },
    relayers: { unknown: {}, undone: {} },
  })
})
afterEach(() => stage.node.tags.lag('finalized', 2))
afterAll(() => stage?.[Symbol.asyncDispose]())

const pooledOf = ({ address }: Sender) => stage.node.pooled().filter(({ from }) => same(from, address))
const cancellation = ({ sender, id }: Payment) => stage.client.cancellation(sender.id, id)

/** Canceled, and its no-op mined: it has its confirmations, and no more than that. */
async function cancelAndConfirm(sender: Sender): Promise<Payment> {
  const payment = await pay(stage, sender)
  await until(() => pooledOf(sender).length === 1, { what: 'a payment at the sequencer' })
  await cancel(stage, payment)
  await until(
    () =>
      stage.rows
        .attempts(payment.id)
        .some(({ hash }) => hash === pooledOf(sender)[0]?.hash && pooledOf(sender)[0]?.value === 0n),
    {
      what: 'a no-op at the sequencer',
    },
  )
  await stage.node.mine(4)
  await verdict(stage, payment, ({ state }) => state === 'won')
  return payment
}

/** By the time that another payment is confirmed, the service has looked at all those blocks. */
async function looksOn(sender: Sender): Promise<void> {
  const other = await pay(stage, sender)
  await mineUntil(stage, 'another payment', async () => (await view(stage, other)).status === 'confirmed')
}

test('no tag yet: the verdict waits, and is final with the tag', async () => {
  stage.node.tags.forget('finalized')
  const sender = stage.sender('unknown')
  const payment = await cancelAndConfirm(sender)
  await looksOn(sender)
  expect(await cancellation(payment)).toMatchObject({ state: 'won', final: false, safe_to_retry: false })
  stage.node.tags.lag('finalized', 0)
  await audit(stage, sender)
  expect(await cancellation(payment)).toMatchObject({ state: 'won', final: true, safe_to_retry: true })
})

test('a confirmed block is taken back: reopened, sent again, and final once', async () => {
  const sender = stage.sender('undone')
  await stage.node.tags.stop('finalized')
  const head = async () => Number(await stage.node.anvil.rpc('eth_blockNumber', []))
  const before = await head()
  const payment = await pay(stage, sender)
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  // Where the service is slow, more blocks are mined than the confirmation needs.
  await stage.node.anvil.rpc('anvil_rollback', [(await head()) - before])
  expect(await nonceOf(stage.node, sender.address)).toBe(0)
  await mineUntil(
    stage,
    'the confirmation to be taken back',
    async () => (await view(stage, payment)).status !== 'confirmed',
  )
  expect(stage.rows.events(payment.id)).toContainEqual(expect.objectContaining({ kind: 'alarm', status: 'submitted' }))
  stage.node.tags.lag('finalized', 0)
  await audit(stage, sender)
  expect(await view(stage, payment)).toMatchObject({ status: 'confirmed' })
})
