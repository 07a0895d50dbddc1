// The events of bulk cancellations on a real chain: a receiver of webhooks gets the end once, about its own relayers, also across kill -9, and
// the stream shows the progress on the way.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { manage, storageKey } from '../manage/support/manager.ts'
import { type EventStream, openEventStream } from '../support/event-stream.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { inPool, mineUntil, noOpInPool, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const signingKey = 'a-signing-key-of-32-characters-or-more'
const relayers = { one: {}, two: {}, three: {} }
let receivers: readonly WebhookReceiver[]
let stage: Stage<Anvil>
beforeAll(async () => {
  receivers = [await startReceiver(signingKey), await startReceiver(signingKey)]
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  stage = await anvilStage({ requiredConfirmations: 2, relayers, service: { env } })
  for (const [index, { url }] of receivers.entries()) {
    await manage(stage.client, 'POST', '/notifications', { id: `hook-${index}`, url, signing_key: signingKey })
  }
  for (const [id, hook] of [['one', 0] as const, ['two', 0] as const, ['three', 1] as const]) {
    await manage(stage.client, 'PATCH', `/relayers/${id}`, { notification_id: `hook-${hook}` })
  }
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  for (const each of receivers ?? []) await each[Symbol.asyncDispose]()
})

interface BulkPayload {
  readonly payload_type: string
  readonly id: string
  readonly relayers: readonly string[]
  readonly counts: Readonly<Record<string, unknown>>
}
interface BulkEvent {
  readonly id: string
  readonly event: string
  readonly timestamp: string
  readonly terminal: boolean
  readonly payload: BulkPayload
}

const isOfBulk = (each: { readonly event: string }) => each.event.startsWith('bulk_cancellation_')
const ofBulks = (events: readonly { readonly event: string }[]) =>
  events.filter(isOfBulk).map((each) => each as unknown as BulkEvent)
const received = (receiver: WebhookReceiver | undefined) => ofBulks(receiver?.taken.map(({ event }) => event) ?? [])
const inStream = ({ events }: EventStream) => ofBulks(events)

test('each notification gets one final event of its relayers, and the stream has the progress, once a second', async () => {
  const { service, client } = stage
  const [payer, other, third] = [stage.sender('one'), stage.sender('two'), stage.sender('three')]
  const flying = await pay(stage, payer)
  await inPool(stage, payer, [0])
  const another = await pay(stage, third)
  await inPool(stage, third, [0])
  await using stream = openEventStream(service.url, service.apiKey)
  const key = (await manage(client, 'POST', '/api-keys', { name: 'k', scopes: ['read'], relayers: [other.id] })) as {
    key: string
  }
  await using bound = openEventStream(service.url, key.key)
  await until(() => stream.status === 200 && bound.status === 200, { what: 'both streams' })
  const answer = await client.request('POST', '/bulk-cancellations', {
    body: { reason: 'an incident', filter: {}, relayers: [payer.id, other.id, third.id] },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  const { id } = (answer.body as { data: { id: string } }).data
  await until(() => inStream(stream).length > 0, { what: 'the first progress' })
  await until(() => inStream(bound).length > 0, { what: 'the end at the relayer of the bound key' })
  expect(inStream(bound).map(({ event, payload }) => [event, payload.relayers])).toEqual([
    ['bulk_cancellation_final', [other.id]],
  ])
  expect(receivers.flatMap(received)).toEqual([])

  await service.kill9()
  await service.restart()
  // Before any block: it could hold the payload.
  await noOpInPool(stage, flying)
  await noOpInPool(stage, another)
  await mineUntil(stage, 'the object to be final', async () => {
    const { body } = await client.request('GET', `/bulk-cancellations/${id}`)
    return (body as { data: { final: boolean } }).data.final
  })
  await using again = openEventStream(service.url, service.apiKey, { lastEventId: stream.place })
  await until(() => inStream(again).some(({ terminal }) => terminal), { what: 'the final event in the stream' })
  await until(() => receivers.every((each) => received(each).length > 0), { what: 'both webhooks' })
  const payment = await pay(stage, other)
  await mineUntil(stage, 'a later payment', async () => (await view(stage, payment)).status === 'confirmed')
  await until(() => receivers[0]?.taken.some(({ event }) => event.payload.id === payment.id && event.terminal), {
    what: 'the end of the later payment',
  })

  const common = { event: 'bulk_cancellation_final', terminal: true }
  const shown = { payload_type: 'bulk_cancellation', id, origin: 'request', reason: 'an incident' }
  expect(receivers.map(received)).toMatchObject([
    [{ ...common, payload: { ...shown, relayers: [payer.id, other.id], counts: { won: 1, safe_to_retry: 'all' } } }],
    [{ ...common, payload: { ...shown, relayers: [third.id], counts: { won: 1, safe_to_retry: 'all' } } }],
  ])
  expect(receivers.flatMap(({ forged }) => forged)).toEqual([])
  const all = [...inStream(stream), ...inStream(again)]
  expect(all.map(({ terminal }) => terminal)).toEqual([...all.slice(1).map(() => false), true])
  expect(all.at(-1)?.payload).toMatchObject({
    relayers: [payer.id, other.id, third.id],
    counts: { won: 2, not_final: 0 },
  })
  const times = all.map(({ timestamp }) => Date.parse(timestamp))
  for (const [index, time] of times.entries()) {
    const before = times[index - 1]
    if (before !== undefined) expect(time - before).toBeGreaterThanOrEqual(1_000)
  }
})
