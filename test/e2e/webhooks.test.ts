// A notification made through the API: what happens to a transaction comes signed and in order, and never to an address
// inside that the operator did not allow.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { manage, refused, storageKey } from '../manage/support/manager.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { mineUntil, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const signingKey = 'a-signing-key-of-32-characters-or-more'
let receiver: WebhookReceiver
let stage: Stage<Anvil>
beforeAll(async () => {
  receiver = await startReceiver(signingKey)
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  const metadata = { id: 'metadata', url: 'http://169.254.169.254/latest/', signingKey }
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { one: {}, two: {} },
    notifications: [metadata],
    service: { env },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

test('events of a relayer that names it are delivered from then on, across a stop of the service', async () => {
  const { client } = stage
  const sender = stage.sender('one')
  await manage(client, 'POST', '/notifications', { id: 'hook', url: receiver.url, signing_key: signingKey })
  const before = await pay(stage, sender)
  await mineUntil(stage, 'a payment', async () => (await view(stage, before)).status === 'confirmed')
  await manage(client, 'PATCH', '/relayers/one', { notification_id: 'hook' })

  const payment = await pay(stage, sender)
  await until(() => receiver.taken.length > 0, { what: 'the first event' })
  await stage.service.stop()
  await stage.service.restart()
  // A block at a time: of two at once the first would never be seen alone.
  const stands = (status: string) =>
    until(async () => (await view(stage, payment)).status === status, { what: `the payment to be ${status}` })
  await stands('submitted')
  for (const status of ['mined', 'confirmed']) {
    await stage.node.mine()
    await stands(status)
  }
  await until(() => receiver.taken.at(-1)?.event.terminal === true, { what: 'the last event' })
  const reported = receiver.taken.map(({ event }) => event)
  expect(new Set(reported.map(({ payload }) => payload.id))).toEqual(new Set([payment.id]))
  const statuses = reported.map(({ payload }) => payload.status)
  expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual([
    'sent',
    'submitted',
    'mined',
    'confirmed',
  ])
  expect(reported.at(-1)?.payload).toEqual({ payload_type: 'transaction', ...(await view(stage, payment)) })
  expect(receiver.forged).toEqual([])
})

test('a URL that leads inside is refused by the API, and not called where the file names it', async () => {
  const { client, rows } = stage
  const { port } = new URL(receiver.url)
  const seen = receiver.seen
  const inside = ['127.0.0.2', '2130706434', '[::1]', '[::ffff:127.0.0.2]', '169.254.169.254', '10.0.0.1', '0']
  for (const host of inside) {
    const url = `http://user:s3cr3t@${host}:${port}/s3cr3t`
    for (const [method, path] of [['POST', ''] as const, ['PATCH', '/hook'] as const]) {
      const answer = await refused(client, method, `/notifications${path}`, { url })
      expect(answer, host).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
      expect(answer.message).toMatch(
        /^url: its host is an internal address \(.+\);.* WEBHOOK_ALLOWED_HOSTS and restart$/,
      )
      expect(answer.message).not.toContain('s3cr3t')
    }
  }
  expect(await manage(client, 'GET', '/notifications')).toHaveLength(2)

  const { sender, id: transaction } = await pay(stage, stage.sender('two'))
  await client.cancel(sender.id, transaction)
  const tried = await until(() => rows.deliveries('metadata').find(({ tries }) => tries > 0), { what: 'a try' })
  expect(tried.last_error).toMatch(/^refused: its host is an internal address; .*WEBHOOK_ALLOWED_HOSTS$/)
  expect(receiver.seen).toBe(seen)
})
