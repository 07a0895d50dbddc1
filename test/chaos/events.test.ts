// Events to a receiver that fails a third of the time, and to a stream, while the service is killed twice: each arrives,
// in order per transaction, signed; the stream, resumed behind the last it had, misses none and repeats none.
//
//   CHAOS=full vitest run test/chaos/events.test.ts     10,000 webhooks
//   CHAOS_SEED=N                                        the same dice again; a failure prints its seed
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { dice } from '../../tooling/dice.ts'
import { mineUntil } from '../e2e/support/play.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { type EventStream, type EventView, openEventStream } from '../support/event-stream.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { alarmsIn } from './support/hold.ts'
import { full, report, seed, seeded } from './support/size.ts'
import { noTraffic, tryCancel, trySend } from './support/traffic.ts'

const webhooks = full ? 10_000 : 1_500
const signingKey = 'a-signing-key-of-32-characters-or-more'

const failing = dice(seed, 'receiver')
let receiver: WebhookReceiver
let stage: Stage<Anvil>
beforeAll(async () => {
  receiver = await startReceiver(signingKey, async (_, response) => {
    if (failing.chance(0.1)) await sleep(failing.between(1, 60))
    if (!failing.chance(1 / 3)) return
    if (failing.chance(0.5)) response.destroy()
    else response.writeHead(failing.pick([500, 503, 404, 302])).end()
  })
  stage = await anvilStage({
    relayers: { one: { max_in_flight: 64 }, two: { max_in_flight: 64 } },
    notifications: [{ id: 'hook', url: receiver.url, signingKey }],
    service: { env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.0/8' } },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

test(`${webhooks} webhooks, a third of them failing, across two kill -9`, { timeout: 900_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'events')
    const senders = ['one', 'two'].map(stage.sender)
    const traffic = noTraffic()
    const alarms: string[] = []
    const events = () => senders.flatMap(({ id }) => stage.rows.eventsOf(id))

    const streams: EventStream[] = []
    const streamed = () => streams.flatMap((stream) => stream.events)
    let reading = true
    const reader = (async () => {
      while (reading) {
        const place = streams.findLast((stream) => stream.place !== undefined)?.place ?? '0'
        const stream = openEventStream(stage.service.url, stage.service.apiKey, { lastEventId: place })
        streams.push(stream)
        await stream.ended
        if (stream.refusal !== undefined) throw new Error(`the stream was refused: ${JSON.stringify(stream.refusal)}`)
        await sleep(50)
      }
    })()

    let sending = true
    const client = async () => {
      while (sending) {
        await sleep(chance.below(10))
        if (chance.chance(0.8)) await trySend(stage, traffic, chance.pick(senders), chance)
        else await tryCancel(stage, traffic, chance)
      }
    }
    const clients = Promise.all([client(), client(), client()])
    const mining = (async () => {
      while (sending) {
        await sleep(chance.between(100, 300))
        await stage.node.mine()
      }
    })()

    const die = async () => {
      alarms.push(...alarmsIn(stage.service.logs()))
      await stage.service.kill9()
      await sleep(chance.between(10, 300))
      await stage.service.restart()
    }
    const patience = { everyMs: 100, limitMs: 600_000 }
    for (const share of [1 / 3, 2 / 3]) {
      const awaited = () =>
        `${share} of the webhooks; ${receiver.taken.length} came\n${stage.service.logs().slice(-2_000)}`
      await until(() => receiver.taken.length > webhooks * share, { ...patience, what: awaited })
      await die()
    }
    await until(() => events().length >= webhooks, { ...patience, what: () => `events; there are ${events().length}` })
    sending = false
    await Promise.all([clients, mining])
    const open = () => senders.flatMap(({ id }) => stage.rows.transactionsOf(id)).filter((row) => row.open === 1)
    await mineUntil(
      stage,
      () => `the end of ${open().length}`,
      () => open().length === 0,
      120_000,
    )

    const expected = events()
    const ids = new Set(expected.map(({ id }) => id))
    const number = ({ id }: EventView) => Number(id.split('-')[0])
    const missing = () => {
      const taken = new Set(receiver.taken.map(({ event }) => number(event)))
      return [...ids].filter((id) => !taken.has(id))
    }
    const what = () => `events ${missing().slice(0, 5)} to be taken; ${missing().length} are not`
    await until(() => missing().length === 0, { ...patience, what })
    // A delivery in progress when the service died comes again, and may fail again and again.
    const reported = () => `what is delivered to be told as such; waiting are ${stage.rows.deliveries('hook').length}`
    await until(() => stage.rows.deliveries('hook').length === 0, { ...patience, what: reported })

    expect(receiver.forged).toEqual([])
    expect(outOfOrder(receiver.taken.map(({ event }) => event))).toEqual([])
    expect(receiver.taken.filter(({ event }) => !ids.has(number(event)))).toEqual([])

    const passed = () => `${expected.length} events to be streamed; ${streamed().length} were`
    await until(() => streamed().length >= expected.length, { ...patience, what: passed })
    reading = false
    await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
    await reader
    const byId = [...expected].sort((one, other) => one.id - other.id)
    expect(streamed().map((event) => [number(event), event.payload.id, event.payload.status])).toEqual(
      byId.map(({ id, transaction_id: transaction, status }) => [id, transaction, status]),
    )
    alarms.push(...alarmsIn(stage.service.logs()))
    expect(alarms, 'errors in the log').toEqual([])
    const twice = receiver.taken.length - ids.size
    report({ events: ids.size, transactions: traffic.sent.length, requests: receiver.seen, takenTwice: twice })
  }),
)

/** Events that were taken for the first time after a later one of the same transaction. */
function outOfOrder(taken: readonly EventView[]): readonly string[] {
  const seen = new Set<string>()
  const latest = new Map<string, number>()
  const late: string[] = []
  for (const { id, payload } of taken) {
    if (seen.has(id)) continue
    seen.add(id)
    const number = Number(id.split('-')[0])
    if (number < (latest.get(payload.id) ?? 0)) late.push(`${id} of ${payload.id}`)
    latest.set(payload.id, number)
  }
  return late
}
