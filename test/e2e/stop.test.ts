// SIGTERM under load loses nothing that was answered.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { openClient, until } from '../../tooling/client.ts'
import { mineUntil } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ requiredConfirmations: 2, relayers: { one: { max_in_flight: 64 } } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('SIGTERM while sends and cancels pour in: exit 0, and every answer that was given stands', async () => {
  const sender = stage.sender('one')
  const sent: string[] = []
  const canceled: string[] = []
  let refused = 0
  const clients = Array.from({ length: 4 }, () => openClient(stage.service.url, stage.service.apiKey))
  let stopping = false
  const load = clients.map(async (client) => {
    const to = stage.node.accounts[9]?.address ?? ''
    while (!stopping || refused < 4) {
      try {
        const { id } = await client.send(sender.id, { to, value: '1', gas_limit: 21_000 })
        sent.push(id)
        if (sent.length % 3 !== 0) continue
        await client.cancel(sender.id, id)
        canceled.push(id)
      } catch {
        refused += 1
        if (stopping) return
      }
    }
  })
  await until(() => sent.length > 150, { what: 'some load' })
  stopping = true
  // Throws unless the process ends with 0.
  await stage.service.stop()
  await Promise.all(load)
  await Promise.all(clients.map((client) => client.close()))

  await stage.service.restart()
  for (const id of sent) expect(stage.rows.transaction(id).id).toBe(id)
  for (const id of canceled) expect(stage.rows.transaction(id).canceled_at).not.toBeNull()
  await mineUntil(stage, 'nothing open', () => stage.rows.transactionsOf(sender.id).every(({ open }) => open === 0))
  const rows = stage.rows.transactionsOf(sender.id)
  const executed = rows.filter(({ status }) => status === 'confirmed').length
  const received = BigInt(await stage.node.rpc('eth_getBalance', [stage.node.accounts[9]?.address, 'latest']))
  expect(received).toBe(10_000n * 10n ** 18n + BigInt(executed))
  for (const id of sent)
    if (!canceled.includes(id)) expect((await stage.client.get(sender.id, id)).status).toBe('confirmed')
})
