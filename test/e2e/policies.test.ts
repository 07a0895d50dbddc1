// The policies of a relayer, over HTTP and on a chain: what they forbid is refused, also what waits when they are narrowed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { balanceOf, hex } from '../../tooling/ledger.ts'
import { writeServiceFiles } from '../../tooling/service-files.ts'
import { audit } from './support/audit.ts'
import { mineUntil, type Payment, pay, view } from './support/play.ts'
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
      patched: { min_balance: String(5n * ether) },
      skipping: { skip_unfunded: true, max_in_flight: 1 },
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function refusalOf(body: object, method: 'POST' | 'PUT' = 'POST', rest = '') {
  const answer = await stage.client.request(method, `/relayers/limited/transactions${rest}`, { body })
  return [answer.status, answer.headers['relayer-error-code'], (answer.body as { message: string }).message]
}

const allowed = { to: friend, value: '1000', gas_limit: 21_000 }

test.each([
  [{ to: '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955' }, /^to: 0x14dC.* whitelist_receivers/],
  [{ to: token }, /^data: calls a plain transfer .* whitelist_selectors of the relayer allows 0xa9059cbb/],
  [{ to: token, data: '0x095ea7b3' }, /^data: calls function 0x095ea7b3 of/],
  [{ value: '1001' }, /^value: 0\.000001001 gwei is above the relayer's value_cap of 0\.000001 gwei/],
  [{ gas_price: '100000000001' }, /^gas_price: 100\.000000001 gwei is above the relayer's gas_price_cap of 100 gwei/],
  [{ gas_limit: undefined }, /^gas_limit: is missing, and gas_limit_estimation of the relayer is off/],
])('refused, with policy and value: %o', async (change, reported) => {
  expect(await refusalOf({ ...allowed, ...change })).toEqual([400, 'POLICY_VIOLATION', expect.stringMatching(reported)])
})

test('what the policies allow is sent, and a replacement is held to the same', async () => {
  const sender = stage.sender('limited')
  const { id } = await stage.client.send(sender.id, allowed)
  const refused = await refusalOf({ ...allowed, value: '1001' }, 'PUT', `/${id}`)
  expect(refused).toEqual([400, 'POLICY_VIOLATION', expect.stringMatching(/^value: 0\.000001001 gwei .*value_cap/)])
  await audit(stage, sender)
  expect((await stage.client.get(sender.id, id)).status).toBe('confirmed')
})

test.each<[string, Sent]>([
  ['data', { to: friend, data: `0x${'a0'.repeat(100)}` }],
  ['an access list', { to: friend, access_list: [{ address: token, storage_keys: [`0x${'0'.repeat(64)}`] }] }],
  ['a creation', { data: `0x00${'a0'.repeat(40)}` }],
])('the least gas of %s is refused less one, and a node takes it', async (_, payload) => {
  const sender = stage.sender('patched')
  const body = { value: '0', ...payload, gas_limit: 21_000 }
  const refused = await stage.client.request('POST', `/relayers/${sender.id}/transactions`, { body })
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([400, 'GAS_LIMIT_TOO_LOW'])
  const least = Number(/send (\d+) or more/.exec((refused.body as { message: string }).message)?.[1])
  const onNode = (gas: number) =>
    stage.node.rpc('eth_call', [{ from: sender.address, ...callOf(payload), gas: hex(BigInt(gas)) }, 'latest'])
  await onNode(least)
  await expect(onNode(least - 1)).rejects.toThrow(/gas/)
})

test('with skip_unfunded a send that the balance does not cover is passed, and goes out once it is covered', async () => {
  const sender = stage.sender('skipping')
  const value = String(1_000_000n * ether)
  const dear = await stage.client.send(sender.id, { to: friend, value })
  const small = await stage.client.send(sender.id, { to: friend, value: '1' })
  const statusOf = async (id: string) => (await stage.client.get(sender.id, id)).status
  await mineUntil(stage, 'the small one', async () => (await statusOf(small.id)) === 'confirmed')
  expect(await stage.client.get(sender.id, dear.id)).toMatchObject({
    status: 'pending',
    status_reason: expect.stringMatching(/later transactions pass it \(skip_unfunded\): top it up, for this one by/),
  })
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(1_000_001n * ether)])
  await mineUntil(stage, 'the dear one', async () => (await statusOf(dear.id)) === 'confirmed')
})

test('they are returned with the relayer', async () => {
  const answer = await stage.client.request('GET', '/relayers/limited')
  expect((answer.body as { data: object }).data).toMatchObject({
    policies: {
      whitelist_receivers: [friend, token],
      whitelist_selectors: { [token]: ['0xa9059cbb'] },
      value_cap: 1000,
      gas_limit_estimation: false,
    },
  })
})

test('a send that waits when a policy is narrowed fails without a nonce, and the one behind it goes out', async () => {
  const sender = stage.sender('narrowed')
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(ether)])
  const forbidden = await pay(stage, sender)
  const behind: Payment = { ...(await pay(stage, sender, { to: friend })), to: friend }
  await mineUntil(stage, 'the first to wait', async () =>
    String((await view(stage, forbidden)).status_reason).includes('min_balance'),
  )
  await stage.service.stop()
  const relayers = stage.files.relayers.map((each) =>
    each.id === sender.id ? { ...each, policies: { whitelist_receivers: [friend] } } : each,
  )
  await writeServiceFiles(stage.service.directory, { ...stage.files, relayers })
  await stage.service.restart()
  await mineUntil(stage, 'the second', async () => (await view(stage, behind)).status === 'confirmed')
  const failed = await view(stage, forbidden)
  expect(failed.status).toBe('failed')
  expect(failed.status_reason).toMatch(/policies changed since it was accepted: to: .* whitelist_receivers/)
  expect(failed).not.toHaveProperty('nonce')
  expect(stage.rows.attempts(forbidden.id)).toEqual([])
  expect(await balanceOf(stage.node, forbidden.to)).toBe(0n)
  expect((await audit(stage, sender)).map(({ nonce }) => nonce)).toEqual([0])
})

test('the same, narrowed while the service runs; and a policy that is not enforced here is not accepted', async () => {
  const sender = stage.sender('patched')
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
