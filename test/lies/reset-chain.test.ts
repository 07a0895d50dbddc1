// A chain that begins anew with the same chain id: the anchor is missing from it, and an operator, or a network with nothing
// open, replaces the anchor.
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { mineUntil, pay, view } from '../e2e/support/play.ts'
import { manage } from '../manage/support/manager.ts'
import { switchStage } from './support/chain-switch.ts'

const at = '/networks/evm:localhost'

test.each([
  ['with a transaction in flight an operator replaces the anchor', true],
  ['with nothing open the service replaces the anchor', false],
] as const)('%s', async (_, isOpen) => {
  await using stage = await switchStage('the only one', 31_337, {
    relayers: { one: {}, two: {} },
    requiredConfirmations: 30,
  })
  const { client, service } = stage
  const first = await pay(stage, stage.sender('one'))
  await mineUntil(stage, 'an anchor', () => service.logs().includes('the network has an anchor'))
  if (!isOpen) await mineUntil(stage, 'an end', async () => (await view(stage, first)).status === 'confirmed')
  stage.misroute()
  const conditions = async () => (await manage(client, 'GET', at)).conditions as readonly unknown[]
  const second = await pay(stage, stage.sender('two'))
  if (isOpen) {
    const text = expect.stringContaining('replace the anchor with POST /api/v1/networks/{network_id}/anchor')
    await until(async () => (await conditions()).length > 0, { what: () => service.logs().slice(-3000) })
    const runbook = '/docs/runbook.md#wrong_chain'
    expect(await conditions()).toEqual([{ condition: 'wrong_chain', endpoint: 0, text, runbook }])
    expect(await manage(client, 'POST', `${at}/anchor`)).toMatchObject({ id: 'evm:localhost', conditions: [] })
    const { body } = await client.request('GET', '/audit-log')
    expect(JSON.stringify(body)).toContain('replaceAnchor')
  }
  await until(async () => (await view(stage, second)).status !== 'pending', {
    limitMs: 60_000,
    what: () => service.logs().slice(-3000),
  })
  expect(await conditions()).toEqual([])
  expect(service.logs().includes('another block replaces it')).toBe(!isOpen)
})
