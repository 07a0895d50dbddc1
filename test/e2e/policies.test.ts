// The policies of a relayer on a chain: what they allow is sent, and what waits when they are narrowed is refused.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { hex } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { inPool, mineUntil, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const ether = 10n ** 18n
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const token = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: {
      limited: {
        whitelist_receivers: [friend, token],
        whitelist_selectors: { [token]: ['0xa9059cbb'] },
        value_cap: '1000',
        gas_price_cap: '100000000000',
        gas_limit_estimation: false,
      },
      narrowed: { min_balance: String(5n * ether) },
      uncapped: {},
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('what the policies allow is sent, and a replacement is held to the same', async () => {
  const sender = stage.sender('limited')
  const allowed = { to: friend, value: '1000', gas_limit: 21_000 }
  const { id } = await stage.client.send(sender.id, allowed)
  const put = { body: { ...allowed, value: '1001' } }
  const refused = await stage.client.request('PUT', `/relayers/limited/transactions/${id}`, put)
  expect(refused).toMatchObject({
    ...{ status: 400, headers: { 'relayer-error-code': 'POLICY_VIOLATION' } },
    body: { message: expect.stringMatching(/^value: 0\.000001001 gwei .*value_cap/) },
  })
  await audit(stage, sender)
  expect((await stage.client.get(sender.id, id)).status).toBe('confirmed')
})

test.each<[string, Sent]>([
  ['data', { to: friend, data: `0x${'a0'.repeat(100)}` }],
  ['an access list', { to: friend, access_list: [{ address: token, storage_keys: [`0x${'0'.repeat(64)}`] }] }],
  ['a creation', { data: `0x00${'a0'.repeat(40)}` }],
])('the least gas of %s is refused less one, and a node takes it', async (_, payload) => {
  const sender = stage.sender('narrowed')
  const body = { value: '0', ...payload, gas_limit: 21_000 }
  const refused = await stage.client.request('POST', `/relayers/${sender.id}/transactions`, { body })
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([400, 'GAS_LIMIT_TOO_LOW'])
  const least = Number(/send (\d+) or more/.exec((refused.body as { message: string }).message)?.[1])
  const onNode = (gas: number) =>
    stage.node.rpc('eth_call', [{ from: sender.address, ...callOf(payload), gas: hex(BigInt(gas)) }, 'latest'])
  await onNode(least)
  await expect(onNode(least - 1)).rejects.toThrow(/gas/)
})

test('a send that waits when a policy is narrowed fails, and the one behind it goes out; an unknown policy is refused', async () => {
  const sender = stage.sender('narrowed')
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(ether)])
  const [dear, behind] = [await pay(stage, sender), await pay(stage, sender, { value: '5' })]
  const patch = (policies: object) => stage.client.request('PATCH', `/relayers/${sender.id}`, { body: { policies } })
  const refused = await patch({ private_transactions: true })
  expect(refused.status).toBe(400)
  expect((refused.body as { message: string }).message).toContain('private_transactions')
  expect((await patch({ value_cap: 5, min_balance: 0 })).status).toBe(200)
  await mineUntil(stage, 'the second', async () => (await view(stage, behind)).status === 'confirmed')
  expect(await view(stage, dear)).toMatchObject({
    status: 'failed',
    status_reason: expect.stringContaining('value_cap'),
  })
  expect((await audit(stage, sender)).map(({ value }) => value)).toEqual([5n])
})

test('without a cap a price of its own is bounded by 1,000 gwei, or by ten times the price that the network shows', async () => {
  const gwei = 10n ** 9n
  const sender = stage.sender('uncapped')
  const send = async (price: bigint) => {
    const body = { to: friend, value: '0', gas_limit: 21_000, gas_price: String(price * gwei) }
    const answer = await stage.client.request('POST', '/relayers/uncapped/transactions', { body })
    return answer.headers['relayer-error-code'] ?? answer.status
  }
  expect(await send(1_500n)).toBe('POLICY_VIOLATION')
  await stage.node.rpc('hardhat_setNextBlockBaseFeePerGas', [hex(200n * gwei)])
  await stage.node.mine()
  const first = await pay(stage, sender)
  await inPool(stage, sender, [0])
  expect(await send(1_500n)).toBe(200)
  expect(await send(190_000_000n)).toBe('POLICY_VIOLATION')
  await mineUntil(stage, 'the payment', async () => (await view(stage, first)).status === 'confirmed')
})

interface Sent {
  to?: string
  data?: string
  access_list?: { address: string; storage_keys: string[] }[]
}

/** As the node takes it. */
function callOf({ access_list: listed, ...rest }: Sent) {
  const accessList = listed?.map(({ address, storage_keys: storageKeys }) => ({ address, storageKeys }))
  return { ...rest, ...(accessList && { accessList }) }
}
