// An empty list of receivers means nobody, wherever it comes from and after a restart; the relayer's own no-ops need no list.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { manage, mined, refused, storageKey } from './support/manager.ts'

const friend = devAccount(8).address
const zero = `0x${'0'.repeat(40)}`
const payment = { to: friend, value: '1', gas_limit: 21_000 }
const refusedSend = { code: 'POLICY_VIOLATION', message: expect.stringMatching(/^to: 0x.* may go to nobody; /) }

let stage: Stage<Anvil>
beforeAll(async () => {
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1) }
  const relayers = { empty: { whitelist_receivers: [] }, listed: { whitelist_receivers: [friend] }, open: {} }
  stage = await anvilStage({ relayers, service: { env } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function made(account: number, policies: object): Promise<string> {
  const config = { key: devAccount(account).key }
  const { id: signer } = await manage(stage.client, 'POST', '/signers', { type: 'plain', config })
  const body = { name: 'made', network: 'localhost', network_type: 'evm', signer_id: signer, policies }
  return (await manage(stage.client, 'POST', '/relayers', body)).id
}

const patch = (id: string, policies: object) => manage(stage.client, 'PATCH', `/relayers/${id}`, { policies })
const refusedTo = (id: string, body: object = payment) =>
  refused(stage.client, 'POST', `/relayers/${id}/transactions`, body)

test('from the file, by POST and by PATCH it is kept, shown as empty and allows nobody, also after kill -9', async () => {
  const { client, service } = stage
  const posted = await made(5, { whitelist_receivers: [] })
  await patch('listed', { whitelist_receivers: [] })
  const ids = ['empty', 'listed', posted]
  const check = async () => {
    for (const id of ids) {
      expect((await manage(client, 'GET', `/relayers/${id}`)).policies).toMatchObject({ whitelist_receivers: [] })
      for (const to of [friend, zero]) expect(await refusedTo(id, { ...payment, to })).toMatchObject(refusedSend)
      expect(await refusedTo(id, { value: '0', data: '0x6000' })).toMatchObject({ code: 'POLICY_VIOLATION' })
    }
  }
  await check()
  await service.kill9()
  await service.restart()
  await check()
  const said = 'whitelist_receivers of these relayers is an empty list: their sends may go to nobody'
  await until(() => service.logs().includes(said), { what: () => `the warning\n${service.logs()}` })
  const line = service
    .logs()
    .split('\n')
    .findLast((each) => each.includes(said))
  expect(JSON.parse(line ?? '').relayer_ids.sort()).toEqual([...ids].sort())
  await patch('listed', { whitelist_receivers: [friend] })
  await mined(client, 'listed', (await client.send('listed', payment)).id, stage.node)
})

test('no selectors are refused by POST and PATCH, and null removes them', async () => {
  const { client } = stage
  const empty = { policies: { whitelist_selectors: {} } }
  const refusal = {
    code: 'INVALID_REQUEST',
    message: expect.stringMatching(/^policies\.whitelist_selectors: is \{\}, so that it would limit nothing; name a/),
  }
  expect(await refused(client, 'PATCH', '/relayers/open', empty)).toMatchObject(refusal)
  const config = { key: devAccount(7).key }
  const { id: signer } = await manage(client, 'POST', '/signers', { type: 'plain', config })
  const body = { name: 'made', network: 'localhost', network_type: 'evm', signer_id: signer, ...empty }
  expect(await refused(client, 'POST', '/relayers', body)).toMatchObject(refusal)
  await patch('open', { whitelist_selectors: { [friend]: ['0x'] } })
  expect(await refusedTo('open', { ...payment, data: '0xa9059cbb' })).toMatchObject({ code: 'POLICY_VIOLATION' })
  expect(await patch('open', { whitelist_selectors: null })).not.toHaveProperty('policies.whitelist_selectors')
})

test('the own address may receive empty data beside a list, and a cancellation wins beside an empty one', async () => {
  const { client, node } = stage
  const { address: own } = await manage(client, 'GET', '/relayers/open')
  await patch('open', { whitelist_receivers: [friend] })
  const flying = await client.send('open', payment)
  await until(async () => (await client.get('open', flying.id)).status === 'submitted', { what: 'it to be in flight' })
  await patch('open', { whitelist_receivers: [] })
  expect(await refusedTo('open', { ...payment, to: own, data: '0x00', gas_limit: 30_000 })).toMatchObject({
    code: 'POLICY_VIOLATION',
    message: expect.stringMatching(/^data: is not empty, and to is the relayer's own address/),
  })
  const itself = await client.send('open', { ...payment, to: own })
  const before = await balanceOf(node, friend)
  await client.cancel('open', flying.id)
  const hasNoOp = () =>
    stage.rows.attempts(flying.id).some((each) => each.kind === 'cancel' && each.outcome === 'accepted')
  await until(async () => hasNoOp(), { what: 'its no-op' })
  await mined(client, 'open', itself.id, node)
  const isCanceled = async () => {
    await node.mine()
    return (await client.get('open', flying.id)).status === 'canceled'
  }
  await until(isCanceled, { what: 'the cancellation to win' })
  expect(await balanceOf(node, friend)).toBe(before)
})
