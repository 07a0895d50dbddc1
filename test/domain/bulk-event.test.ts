// The events of a bulk cancellation: at most one a second, one final event for each reader and each notification, and none before it is true.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BulkCancellation, BulkPart } from '../../src/domain/bulk-cancellation.ts'
import { noCounts } from '../../src/domain/bulk-counts.ts'
import {
  announcementOf,
  type BulkEvent,
  bulkEventEveryMs,
  bulkEventSeen,
  nothingShown,
} from '../../src/domain/bulk-event.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { now, someBulk } from './some.ts'

const relayers = ['a', 'b', 'c'].map((id) => id as RelayerId)
const waiting = (relayerId: RelayerId, number: number): BulkPart => ({
  ...{ number, relayerId, state: 'waiting', counts: noCounts, already: 0, refused: [] },
})
const made = (parts: readonly BulkPart[], origin: BulkCancellation['origin'] = 'request'): BulkCancellation => ({
  ...{ ...someBulk(), origin, filter: {}, pause: false, everyRelayer: false, requestedAt: now, parts },
})

/** Each step changes one part, or lets time pass. A final part may be taken back: events never follow that. */
const anyStep = fc.record({
  part: fc.nat(2),
  change: fc.constantFrom('taken', 'raced', 'final', 'takenBack', 'nothing'),
  ms: fc.constantFrom(0, 1, 400, 999, 1_000, 5_000),
})

function changed(part: BulkPart, change: string): BulkPart {
  const { finalAt, ...open } = part
  const { counts } = part
  if (change === 'taken') return { ...part, state: 'written' }
  if (change === 'raced') return { ...part, state: 'written', counts: { ...counts, racing: counts.racing + 1 } }
  if (change === 'final') return { ...part, state: 'written', finalAt: finalAt ?? now }
  return change === 'takenBack' ? open : part
}

interface Run {
  readonly seen: (relayers: readonly RelayerId[]) => readonly BulkEvent[]
  readonly times: readonly number[]
  readonly notices: readonly { readonly notificationId: string; readonly parts: readonly number[] }[]
}

function run(steps: readonly { part: number; change: string; ms: number }[], origin?: BulkCancellation['origin']): Run {
  let parts = relayers.map(waiting)
  let shown = nothingShown
  let announcedAt: number | undefined
  let time = now
  const rows: { event: Parameters<typeof bulkEventSeen>[0]; bulk: BulkCancellation; final: Set<number> }[] = []
  const notices: { notificationId: string; parts: readonly number[] }[] = []
  const everFinal = new Set<number>()
  const everything = relayers.map((_, part) => ({ part, change: 'final', ms: 1_000 }))
  for (const { part, change, ms } of [...steps, ...everything, { part: 0, change: 'nothing', ms: 1_000 }]) {
    time += ms
    parts = parts.map((each, index) => (index === part ? changed(each, change) : each))
    for (const { number, finalAt } of parts) if (finalAt !== undefined) everFinal.add(number)
    const bulk = made(parts, origin)
    const next = announcementOf(bulk, { shown, announcedAt }, (id) => (id === 'c' ? undefined : `hook-${id}`), time)
    if (!next) continue
    shown = next.shown
    announcedAt = time
    notices.push(...next.notices)
    const id = rows.length + 1
    if (next.event) rows.push({ event: { ...next.event, id, occurredAt: time }, bulk, final: new Set(everFinal) })
  }
  return {
    times: rows.map(({ event }) => event.occurredAt),
    notices,
    seen: (some) =>
      rows.flatMap(({ event, bulk, final }) => {
        const found = bulkEventSeen(event, bulk, (id) => some.includes(id))
        if (found?.kind === 'bulkFinal') expect(found.bulk.parts.every(({ number }) => final.has(number))).toBe(true)
        return found ?? []
      }),
  }
}

test('each reader sees the end of its relayers once, and last, and each notification gets it once', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), fc.subarray(relayers, { minLength: 1 }), (steps, some) => {
      const { seen, times, notices } = run(steps)
      const kinds = seen(some).map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'bulkFinal')).toHaveLength(1)
      expect(kinds.at(-1)).toBe('bulkFinal')
      for (const [index, time] of times.entries()) {
        const before = times[index - 1]
        if (before !== undefined) expect(time - before).toBeGreaterThanOrEqual(bulkEventEveryMs)
      }
      expect(notices.toSorted((one, other) => (one.notificationId < other.notificationId ? -1 : 1))).toEqual([
        { notificationId: 'hook-a', parts: [0] },
        { notificationId: 'hook-b', parts: [1] },
      ])
    }),
  )
})

test('a reader sees nothing of other relayers: neither their counts nor when they change', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const [one] = relayers
      if (!one) throw new Error('no relayer')
      const events = run(steps).seen([one])
      expect(
        new Set(events.flatMap(({ bulk, changed: moved }) => [...bulk.parts.map((each) => each.relayerId), ...moved])),
      ).toEqual(new Set([one]))
      const [first] = relayers
      const alone = run(
        steps.map((step) => ({ ...step, change: relayers[step.part] === first ? step.change : 'nothing' })),
      )
      expect(events.length > 0).toBe(alone.seen([one]).length > 0)
    }),
  )
})

test('a DELETE of everything pending notifies no one, and has events for readers', () => {
  const { notices, seen } = run([{ part: 0, change: 'raced', ms: 0 }], 'delete')
  expect(notices).toEqual([])
  expect(seen(relayers).map(({ kind }) => kind)).toEqual(['bulkProgress', 'bulkProgress', 'bulkProgress', 'bulkFinal'])
})

test('a notification of two relayers gets one event, once both are final', () => {
  const parts = relayers.slice(0, 2).map(waiting)
  const at = (each: readonly BulkPart[]) =>
    announcementOf(made(each), { shown: nothingShown, announcedAt: undefined }, () => 'hook', now)
  expect(at(parts.map((part, index) => (index === 0 ? changed(part, 'final') : part)))?.notices).toEqual([])
  const both = at(parts.map((part) => changed(part, 'final')))
  expect(both?.notices).toEqual([{ notificationId: 'hook', parts: [0, 1] }])
})

test('an object without relayers has no event, and is not looked at again', () => {
  const none = announcementOf(made([]), { shown: nothingShown, announcedAt: undefined }, () => 'hook', now)
  expect(none).toEqual({ notices: [], shown: nothingShown, isOver: true })
})

test('a time of the last event that is later than now, of a clock that was ahead, stops nothing', () => {
  const [a] = relayers
  if (!a) throw new Error('no relayer')
  const bulk = made([changed(waiting(a, 0), 'final')])
  const at = (announcedAt: number) => announcementOf(bulk, { shown: nothingShown, announcedAt }, () => undefined, now)
  expect(at(now + 1_000_000)).toMatchObject({ isOver: true })
  expect(at(now)).toBe(undefined)
})
