// What a reader of events sees by its key, without a server: its ids, its moves, and where it may resume.
import { expect, test } from 'vitest'
import type { TransactionEvent } from '../../../src/domain/event.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import { resumeAt } from '../../../src/http/events/resume-events.ts'
import { openIdSeal } from '../../../src/http/events/seal-ids.ts'
import { eventsInView } from '../../../src/http/events/view-events.ts'
import { eventsSearchedAtOnce } from '../../../src/http/limits.ts'
import { administrator } from '../../../src/http/request/authenticate.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret } from '../../../src/ops/secret.ts'
import type { Reads } from '../../../src/store/store.ts'
import { now, queued } from '../../domain/some.ts'

const bound = { id: 'bound' as ApiKeyId, scopes: new Set(['read'] as const), relayers: ['one' as RelayerId] }
const seal = openIdSeal(secret('a secret of the service'), systemRandom())

/** One event for each relayer that is named, in that order, from 1. */
function outboxOf(
  ...relayers: readonly string[]
): Pick<Reads, 'searchEvents' | 'event' | 'newestEvent' | 'newestGivenEvent' | 'eventsPrunedThrough' | 'isLostEvent'> {
  const events = relayers.map((relayerId, index) => ({
    ...{ id: index + 1, kind: 'update', status: 'canceled', terminal: true, occurredAt: now + index },
    transaction: { ...queued(index + 1), relayerId: relayerId as RelayerId },
  })) as readonly TransactionEvent[]
  return {
    newestEvent: async () => events.length,
    newestGivenEvent: async () => events.length,
    isLostEvent: async () => false,
    eventsPrunedThrough: async () => 0,
    event: async (id) => events[id - 1],
    async searchEvents(after, { rows, limit }, wanted) {
      const window = events.slice(after, after + rows)
      const seen = window
        .filter(({ transaction: { relayerId, id } }) => wanted({ relayerId, transactionId: id }))
        .slice(0, limit)
      const through = seen.length === limit ? (seen.at(-1)?.id ?? after) : after + window.length
      return { events: seen, through, mayBeFar: window.length === rows && seen.length < limit }
    },
  }
}

test('a bound key moves with events of its relayers alone, however many others have', async () => {
  const others = Array.from({ length: 2 * eventsSearchedAtOnce + 1 }, () => 'two')
  const quiet = eventsInView(outboxOf(...others), seal, bound)
  expect(await quiet.advance(0)).toEqual({ position: others.length, hasEvents: false })
  const moved = eventsInView(outboxOf(...others, 'one', 'two'), seal, bound)
  expect(await moved.advance(0)).toEqual({ position: others.length + 2, hasEvents: true })
  const all = eventsInView(outboxOf('two'), seal, administrator)
  expect(await all.advance(0)).toEqual({ position: 1, hasEvents: true })
  expect(await all.advance(1)).toEqual({ position: 1, hasEvents: false })
})

test('a sealed id is opened by every process with the secret, and shows its number to nobody else', () => {
  const other = openIdSeal(secret('a secret of the service'), systemRandom())
  const event = { id: 1042, occurredAt: now }
  expect(other.event(event)).toBe(seal.event(event))
  expect(other.open(seal.event(event))).toEqual({ ...event, isSealed: true })
  for (const id of [0, 1, 1042, Number.MAX_SAFE_INTEGER]) {
    expect(other.open(seal.position(id))).toEqual({ id, isSealed: true })
    expect(seal.position(id)).not.toBe(seal.position(id))
  }
  const foreign = openIdSeal(secret('another secret'), systemRandom()).open(seal.event(event))
  expect(foreign).not.toEqual({ ...event, isSealed: true })
  for (const text of ['', 's', '1042', `1042-${now}`, seal.position(1).slice(1), `${seal.position(1)}A`]) {
    expect(seal.open(text)).toBeUndefined()
  }
})

test('a bound key resumes at its own events, and is refused everywhere else in the same words', async () => {
  const outbox = outboxOf('one', 'two', 'one')
  const view = eventsInView(outbox, seal, bound)
  const resume = (from: string) => resumeAt(outbox, seal, view, from, undefined)
  expect(await resumeAt(outbox, seal, view, undefined, undefined)).toBe(3)
  for (const from of ['1', `1-${now}`, seal.event({ id: 1, occurredAt: now }), seal.position(1)]) {
    expect([from, await resume(from)]).toEqual([from, 1])
  }
  expect(await resume('0')).toBe(0)
  // An event of others has a sealed place, too, where a position was there.
  expect(await resume(seal.position(2))).toBe(2)
  const messages = await Promise.all(
    ['2', `2-${now + 1}`, '4', `1-${now + 1}`, seal.event({ id: 2, occurredAt: now + 1 }), seal.position(4)].map(
      (from) => resume(from).catch(({ message }: Error) => message),
    ),
  )
  expect(new Set(messages)).toEqual(
    new Set([expect.stringMatching(/^there is no such event of the relayers of this key/)]),
  )
})
