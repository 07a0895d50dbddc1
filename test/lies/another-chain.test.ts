// A gateway that routes to another chain for a while, with another chain id or with the same one: it is neither read nor sent to, and all goes on with the right chain.
import { expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom } from '../../tooling/ledger.ts'
import { cancel, inPool, mineUntil, pay, verdict, view } from '../e2e/support/play.ts'
import { type SwitchStage, switchStage } from './support/chain-switch.ts'
import { seats } from './support/lying-stage.ts'

/** On the other chain the accounts have spent many nonces, and the head is far higher. */
async function ahead({ otherChain, sender }: SwitchStage): Promise<void> {
  const { address } = sender('one')
  for (let nonce = 0; nonce < 5; nonce += 1) {
    await otherChain.rpc('eth_sendTransaction', [{ from: address, to: devAccount(9).address, value: '0x1' }])
  }
  await otherChain.mine(400)
}

async function conditionsOf({ client }: SwitchStage): Promise<readonly unknown[]> {
  const { body } = await client.request('GET', '/networks/evm:localhost')
  const { data } = body as { data: { conditions?: readonly unknown[] } }
  return data.conditions ?? []
}

async function contradictionsOf({ client }: SwitchStage): Promise<readonly unknown[]> {
  const { body } = await client.request('GET', '/networks/evm:localhost/contradictions')
  return (body as { data: readonly unknown[] }).data
}

const others = [
  { otherId: 4_242, by: 'another chain id', text: 'serves chain 4242' },
  { otherId: 31_337, by: 'another block at the anchor', text: 'and the anchor of the network is' },
] as const
const cases = others.flatMap((other) => seats.map((seat) => ({ ...other, seat })))

test.each(cases)('$seat serves $by: nothing false is said, nothing is sent there', async ({ otherId, text, seat }) => {
  await using stage = await switchStage(seat, otherId, { relayers: { one: {}, other: {} }, requiredConfirmations: 30 })
  // Heads are read while a transaction waits for its confirmations.
  await pay(stage, stage.sender('other'))
  await mineUntil(stage, 'an anchor', () => stage.service.logs().includes('the network has an anchor'))
  await ahead(stage)
  const sender = stage.sender('one')
  const first = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.misroute()
  const runbook = '/docs/runbook.md#wrong_chain'
  const wrong = { condition: 'wrong_chain', endpoint: 0, text: expect.stringContaining(text), runbook }
  await until(async () => (await conditionsOf(stage)).length > 0, { what: () => stage.service.logs().slice(-3000) })
  expect(await conditionsOf(stage)).toEqual([wrong])
  expect(await contradictionsOf(stage)).toMatchObject([{ condition: 'wrong_chain', answers: [{ endpoint: 0 }] }])
  const sends = () => stage.gateway.calls('eth_sendRawTransaction').length
  const sendsBefore = sends()
  const second = await pay(stage, sender)
  await cancel(stage, first)
  if (seat === 'one of three') {
    await mineUntil(
      stage,
      'a verdict by the others',
      async () => (await stage.client.cancellation('one', first.id)).final,
    )
    await mineUntil(stage, 'a payment by the others', async () => (await view(stage, second)).status === 'confirmed')
  } else {
    // Several verifications of the wrong chain, with their growing pauses.
    await until(() => stage.gateway.calls('web3_clientVersion').length >= 4, { what: () => 'verifications' })
    expect((await stage.client.cancellation('one', first.id)).state).toBe('racing')
    expect((await view(stage, second)).status).toMatch(/pending|sent|submitted/)
  }
  expect(sends(), 'sends to the other chain').toBe(sendsBefore)
  stage.putRight()
  await until(async () => (await conditionsOf(stage)).length === 0, { limitMs: 60_000, what: () => 'the end' })
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', first.id)).final)
  await mineUntil(stage, 'a payment', async () => (await view(stage, second)).status === 'confirmed')
  const { state, winner } = await verdict(stage, first, ({ final }) => final)
  const mined = await minedFrom(stage.node, sender.address)
  const [of0, of1] = [0, 1].map((nonce) => mined.find((each) => each.nonce === nonce))
  const facts = JSON.stringify(mined.map(({ hash, nonce, value, block }) => [hash, nonce, String(value), block]))
  const isWon = of0?.value === 0n
  expect({ state, hash: winner?.hash }, facts).toEqual({ state: isWon ? 'won' : 'lost', hash: of0?.hash })
  // One transaction for each nonce that was bound: no gap filler was paid.
  expect(mined, facts).toHaveLength(2)
  expect(of1?.value, facts).toBe(second.value)
  expect(stage.service.logs()).toContain('an endpoint serves another chain and is not used')
  expect(stage.service.logs()).toContain('an endpoint serves its chain again')
})
