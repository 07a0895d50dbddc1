// A node that returns the receipt of another transaction, as a cache that mixes up its keys: every verdict is the chain's.
import { expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { minedFrom } from '../../tooling/ledger.ts'
import { type Lie, lieAbout } from '../../tooling/lying-node.ts'
import { answered, cancel, inPool, mineUntil, noOpInPool, type Payment, pay, verdict } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

/** The original is mined and not the no-op, which the pool holds. */
async function executeOriginal(stage: LyingStage, { id }: Payment): Promise<void> {
  const [original] = stage.rows.attempts(id)
  await stage.node.rpc('anvil_dropAllTransactions')
  await stage.node.rpc('eth_sendRawTransaction', [original?.raw])
  await stage.node.mine()
}

async function someReceipt(node: Anvil): Promise<unknown> {
  const [from, to] = [devAccount(8).address, devAccount(9).address]
  const hash = await node.rpc('eth_sendTransaction', [{ from, to, value: '0x1' }])
  await node.mine()
  return node.rpc('eth_getTransactionReceipt', [hash])
}

/** Every attempt is mined in the block of the one that is: a forged receipt for the others. */
async function oneForEach(stage: LyingStage, { id, sender }: Payment): Promise<Lie> {
  const [mined] = await minedFrom(stage.node, sender.address)
  const receipt = await stage.node.rpc<object>('eth_getTransactionReceipt', [mined?.hash])
  const ours = new Set<string>(stage.rows.attempts(id).map(({ hash }) => hash))
  return lieAbout('eth_getTransactionReceipt', (honest, { params: [hash] }) =>
    ours.has(String(hash)) ? { ...receipt, transactionHash: hash } : honest,
  )
}

test.each(seats)(
  '%s returns the receipt of another: nothing false is final, and the original is lost',
  async (seat) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    const other = await someReceipt(stage.node)
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    stage.liar.lie(lieAbout('eth_getTransactionReceipt', () => other))
    await cancel(stage, payment)
    await noOpInPool(stage, payment)
    await answered(stage, payment, 2)
    await executeOriginal(stage, payment)
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    const { state, winner, safe_to_retry } = await verdict(stage, payment, ({ final }) => final)
    const [mined, ...more] = await minedFrom(stage.node, sender.address)
    expect(mined?.value, 'the original').toBe(payment.value)
    expect({ state, safe_to_retry, hash: winner?.hash }).toEqual({
      ...{ state: 'lost', safe_to_retry: false, hash: mined?.hash },
    })
    expect(more).toEqual([])
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
    expect(stage.service.logs()).toContain('an endpoint answers about another')
  },
)

test.each(seats)('%s has a receipt for each attempt of one nonce: the body of the block decides', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await answered(stage, payment, 2)
  // Until its lie is ready, the liar has no receipt at all.
  stage.liar.lie(lieAbout('eth_getTransactionReceipt', () => null))
  await executeOriginal(stage, payment)
  stage.liar.lie(await oneForEach(stage, payment))
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const { state, winner } = await verdict(stage, payment, ({ final }) => final)
  const [mined] = await minedFrom(stage.node, sender.address)
  expect({ state, hash: winner?.hash }).toEqual({ state: 'lost', hash: mined?.hash })
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})
