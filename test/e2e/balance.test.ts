// The balance runs out: the queue waits and says why, a cancel can still be paid, and all goes on when money comes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { hex } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, pay, verdict, view } from './support/play.ts'
import { type Sender, type Stage, stageOn } from './support/stage.ts'

const ether = 10n ** 18n

let stage: Stage<Anvil>
beforeAll(async () => {
  const node = await startAnvil({ mining: 'manual' })
  // Before the service reads them: it does not read a balance again that nobody else can lower.
  await setBalance(node, devAccount(0), ether)
  await setBalance(node, devAccount(1), 3n * ether)
  const relayers = { poor: {}, reserved: { cancel_reserve: String(ether) } }
  stage = await stageOn(node, { requiredConfirmations: 2, relayers })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function setBalance(node: Anvil, { address }: Pick<Sender, 'address'>, wei: bigint): Promise<void> {
  await node.rpc('anvil_setBalance', [address, hex(wei)])
}

/** Mines no block, so that transactions in flight stay in flight. */
async function waitsBecause(payment: Payment, reason: string): Promise<void> {
  await until(async () => (await view(stage, payment)).status_reason?.includes(reason), {
    what: `a reason with "${reason}"`,
  })
  expect(await view(stage, payment)).toMatchObject({ status: 'pending' })
  expect(stage.rows.attempts(payment.id)).toEqual([])
}

test('what the balance does not cover waits with a reason, in order, and goes out when money comes', async () => {
  const sender = stage.sender('poor')
  const [small, big, behind] = [
    await pay(stage, sender, { value: String(ether / 2n) }),
    await pay(stage, sender, { value: String(ether) }),
    await pay(stage, sender, { value: '1' }),
  ] as [Payment, Payment, Payment]
  await inPool(stage, sender, [0])
  await waitsBecause(big, 'does not cover its value (1 ether) and gas')
  // What the overview says is needed is enough.
  const topUpNow = async () => {
    const { body } = await stage.client.request('GET', `/relayers/${sender.id}/overview`)
    return (body as { data: { top_up?: { next: string } } }).data.top_up?.next
  }
  await expect.poll(topUpNow).toMatch(/^[1-9]/)
  const topUp = BigInt((await topUpNow()) ?? '')
  expect((await view(stage, behind)).status).toBe('pending')
  await setBalance(
    stage.node,
    sender,
    BigInt((await stage.node.rpc('eth_getBalance', [sender.address, 'latest'])) as string) + topUp,
  )
  await mineUntil(stage, 'the last one', async () => (await view(stage, behind)).status === 'confirmed')
  const mined = await audit(stage, sender)
  expect(mined.map(({ value }) => value)).toEqual([small.value, big.value, 1n])
  expect((await view(stage, big)).status_reason).toBeUndefined()
})

test('cancel_reserve is kept back from sends, so that a no-op can be paid out of it', async () => {
  const sender = stage.sender('reserved')
  const first = await pay(stage, sender, { value: String(ether) })
  const second = await pay(stage, sender, { value: String(ether) })
  await inPool(stage, sender, [0])
  // Without the reserve there would be enough for both but for the gas.
  await waitsBecause(second, 'cancel_reserve')
  await cancel(stage, second)
  expect((await stage.client.cancellation(sender.id, second.id)).state).toBe('dropped')
  await audit(stage, sender)

  await setBalance(stage.node, sender, 2n * ether)
  const third = await pay(stage, sender, { value: String(ether - ether / 100n) })
  await inPool(stage, sender, [1])
  // Everything but the reserve is promised to it; then the balance beyond its price goes away, too.
  await setBalance(stage.node, sender, ether)
  await cancel(stage, third)
  await noOpInPool(stage, third)
  await stage.node.mine()
  await verdict(stage, third, ({ state }) => state === 'won')
  await audit(stage, sender)
  expect((await view(stage, first)).status).toBe('confirmed')
})
