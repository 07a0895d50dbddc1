// The end of a bulk cancellation where the chain or the database goes back: a reorganization opens verdicts again, and a copy of the database
// does not have the end yet. No final event comes too early, none is lost, and none contradicts another.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { manage, storageKey } from '../manage/support/manager.ts'
import { type EventStream, openEventStream } from '../support/event-stream.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { audit } from './support/audit.ts'
import { copyDatabase, putBack } from './support/copy.ts'
import { inPool, mineUntil, noOpInPool, type Payment, pay } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

const signingKey = 'a-signing-key-of-32-characters-or-more'
let receiver: WebhookReceiver
let stage: Stage<Anvil>
beforeAll(async () => {
  receiver = await startReceiver(signingKey)
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  const relayers = { again: {}, lost: {}, restored: {} }
  stage = await anvilStage({ requiredConfirmations: 5, relayers, service: { env } })
  await manage(stage.client, 'POST', '/notifications', { id: 'hook', url: receiver.url, signing_key: signingKey })
  for (const id of Object.keys(relayers)) {
    await manage(stage.client, 'PATCH', `/relayers/${id}`, { notification_id: 'hook' })
  }
  await stage.node.mine(3)
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

interface Counts {
  readonly won: number
  readonly lost: number
  readonly racing: number
  readonly cost: string
}

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly counts: Counts
}

interface BulkEvent {
  readonly id: string
  readonly event: string
  readonly terminal: boolean
  readonly payload: Pick<Bulk, 'id' | 'counts'>
}

async function create(relayer: string): Promise<string> {
  const { body } = await stage.client.request('POST', '/bulk-cancellations', {
    body: { filter: {}, relayers: [relayer] },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  return (body as { data: Bulk }).data.id
}

async function read(id: string): Promise<Bulk> {
  return ((await stage.client.request('GET', `/bulk-cancellations/${id}`)).body as { data: Bulk }).data
}

async function counting(id: string, expected: Partial<Counts>): Promise<Bulk> {
  let last = ''
  return until(
    async () => {
      const bulk = await read(id)
      last = JSON.stringify(bulk.counts)
      return Object.entries(expected).every(([name, count]) => bulk.counts[name as keyof Counts] === count) && bulk
    },
    { what: () => `the counts ${JSON.stringify(expected)}; they are ${last}\n${stage.service.logs().slice(-3000)}` },
  )
}

const ofBulk = (events: readonly { readonly event: string }[], id: string) =>
  events
    .map((each) => each as unknown as BulkEvent)
    .filter(({ event, payload }) => {
      return event.startsWith('bulk_cancellation_') && payload.id === id
    })
const inStream = ({ events }: EventStream, id: string) => ofBulk(events, id)
const received = (id: string) =>
  ofBulk(
    receiver.taken.map(({ event }) => event),
    id,
  )

/** The no-op of one that was in flight is in a block, with three more on top: one short of final. */
async function wonButNotFinal(sender: Sender, stream: EventStream): Promise<{ payment: Payment; id: string }> {
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const id = await create(sender.id)
  await noOpInPool(stage, payment)
  // An event has the object as it is when the event is read: read any later, the first one would have the win already.
  await until(() => inStream(stream, id).some(({ payload }) => payload.counts.racing === 1), {
    what: 'the first event',
  })
  await stage.node.mine(4)
  expect(await counting(id, { won: 1 })).toMatchObject({ final: false, counts: { racing: 0, not_final: 1 } })
  return { payment, id }
}

async function streamed(): Promise<EventStream> {
  const stream = openEventStream(stage.service.url, stage.service.apiKey)
  await until(() => stream.status === 200, { what: 'the stream' })
  return stream
}

async function endOf(stream: EventStream, id: string): Promise<readonly BulkEvent[]> {
  await mineUntil(stage, 'the object to be final', async () => (await read(id)).final)
  await until(() => inStream(stream, id).some(({ terminal }) => terminal), { what: 'the final event in the stream' })
  await until(() => received(id).length > 0, { what: 'the webhook' })
  return inStream(stream, id)
}

test('the no-op falls out of the chain: the object races again, and ends once, when its no-op is final', async () => {
  const sender = stage.sender('again')
  await using stream = await streamed()
  const { payment, id } = await wonButNotFinal(sender, stream)
  await until(() => inStream(stream, id).some(({ payload }) => payload.counts.won === 1), {
    what: 'the win as progress',
  })
  await stage.node.rpc('anvil_reorg', [4, []])
  expect(await counting(id, { racing: 1 })).toMatchObject({
    final: false,
    counts: { won: 0, not_final: 1, cost: '0', safe_to_retry: 0 },
  })
  await until(() => inStream(stream, id).at(-1)?.payload.counts.racing === 1, { what: 'the race as progress' })
  expect(inStream(stream, id).map(({ terminal }) => terminal)).not.toContain(true)
  expect(received(id)).toEqual([])

  await noOpInPool(stage, payment)
  const events = await endOf(stream, id)
  expect(events.map(({ terminal }) => terminal)).toEqual([...events.slice(1).map(() => false), true])
  const end = { won: 1, racing: 0, lost: 0, not_final: 0, safe_to_retry: 'all' }
  expect(events.at(-1)).toMatchObject({ event: 'bulk_cancellation_final', payload: { counts: end } })
  expect(received(id)).toMatchObject([{ terminal: true, payload: { counts: end } }])
  await audit(stage, sender)
})

test('the other branch holds the original: what the object had won it has lost, and only that is its end', async () => {
  const sender = stage.sender('lost')
  await using stream = await streamed()
  const { payment, id } = await wonButNotFinal(sender, stream)
  const original = stage.rows.attempts(payment.id).find(({ kind }) => kind === 'execute')
  await stage.node.rpc('anvil_reorg', [4, [[original?.raw, 1]]])
  expect(await counting(id, { lost: 1 })).toMatchObject({ final: false, counts: { won: 0, racing: 0 } })
  expect(received(id)).toEqual([])
  const events = await endOf(stream, id)
  expect(events.filter(({ terminal }) => terminal)).toHaveLength(1)
  const end = { won: 0, racing: 0, lost: 1, not_final: 0, safe_to_retry: 0 }
  expect(events.at(-1)).toMatchObject({ terminal: true, payload: { counts: end } })
  expect(received(id)).toMatchObject([{ terminal: true, payload: { counts: end } }])
  expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)
  await audit(stage, sender)
})

test('a copy without the end is put back: the end comes again as another event, and says the same', async () => {
  const sender = stage.sender('restored')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const id = await create(sender.id)
  const noOp = await noOpInPool(stage, payment)
  await copyDatabase(stage)
  await using stream = await streamed()
  const [first] = (await endOf(stream, id)).slice(-1)
  expect(first).toMatchObject({ terminal: true, payload: { counts: { won: 1, not_final: 0 } } })
  const later = await create(sender.id)
  expect(await read(later)).toMatchObject({ final: true })

  await putBack(stage)
  await using again = await streamed()
  const [second] = (await endOf(again, id)).slice(-1)
  await until(() => received(id).length === 2, { what: 'the second webhook' })
  expect(second?.payload.counts).toEqual(first?.payload.counts)
  expect(second?.id).not.toBe(first?.id)
  expect(received(id).map(({ payload }) => payload.counts)).toEqual([first?.payload.counts, first?.payload.counts])
  expect(new Set(received(id).map((each) => each.id)).size).toBe(2)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', winner: { hash: noOp } })
  // The copy does not have the object that was made later.
  expect((await stage.client.request('GET', `/bulk-cancellations/${later}`)).status).toBe(404)
  await audit(stage, sender)
})
