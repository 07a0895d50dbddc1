// What a look takes and gives up beyond the shares: slots that no replica takes, and how long they are kept.
import { expect, test } from 'vitest'
import { chooseSlots, keepOrphans, nothingSeen, type SlotMemory } from '../../src/ownership/choose-slots.ts'
import type { Member, Slot, Survey } from '../../src/store/locks.ts'

const self = 1
/** Two slots, of a relayer each. */
const weights = new Map<Slot, number>([0, 1].map((slot) => [slot, 1]))

function surveyOf(members: readonly (readonly [Member, readonly Slot[]])[], barred: readonly Slot[] = []): Survey {
  return { self, members: new Map(members.map(([member, slots]) => [member, new Set(slots)])), barred: new Set(barred) }
}

const look = (memory: SlotMemory, survey: Survey, now: number, leaving: readonly Slot[] = []) =>
  chooseSlots(memory, { survey, weights, leaving: new Set(leaving), now })

/** This replica has slot 0, its share. The other one, which cannot advance slot 1, leaves that free. */
const oneFree = surveyOf([
  [self, [0]],
  [2, []],
])

/** Took slot 1 at 3,000, since no replica had taken it. */
function keepingOne(): SlotMemory {
  const first = look(nothingSeen, oneFree, 0)
  const later = look(first.memory, oneFree, 3_000)
  return keepOrphans(later, [1], 3_000)
}

/** One slot too many: the first that is not kept is given up. */
const both = surveyOf([
  [self, [1, 0]],
  [2, []],
])

test('a free slot of another replica’s share is taken once nobody has taken it for three seconds', () => {
  const first = look(nothingSeen, oneFree, 0)
  expect([first.take, [...first.orphans]]).toEqual([[], []])
  const soon = look(first.memory, oneFree, 2_999)
  expect([...soon.orphans]).toEqual([])
  expect([...look(soon.memory, oneFree, 3_000).orphans]).toEqual([1])
})

test('a slot that was taken in between begins anew', () => {
  const first = look(nothingSeen, oneFree, 0)
  const taken = surveyOf([
    [self, [0]],
    [2, [1]],
  ])
  const { memory } = look(first.memory, taken, 1_000)
  expect([...look(look(memory, oneFree, 2_000).memory, oneFree, 4_999).orphans]).toEqual([])
})

test('a slot that is being given up or is barred is no orphan, however long', () => {
  const leaving = look(look(nothingSeen, oneFree, 0, [1]).memory, oneFree, 9_000, [1])
  expect([...leaving.orphans]).toEqual([])
  const barred = surveyOf(
    [...oneFree.members].map(([member, slots]) => [member, [...slots]]),
    [1],
  )
  expect([...look(look(nothingSeen, barred, 0).memory, barred, 9_000).orphans]).toEqual([])
})

test('an orphan is kept beyond the share for five minutes', () => {
  const memory = keepingOne()
  expect(look(memory, both, 302_999).give).toEqual([0])
  expect(look(memory, both, 303_000).give).toEqual([1])
})

test('an orphan is not kept from a replica that joins', () => {
  const third = surveyOf([
    [self, [1, 0]],
    [2, []],
    [3, []],
  ])
  const joined = look(keepingOne(), third, 4_000)
  expect(joined.give).toEqual([1])
  expect([...joined.memory.keptUntil]).toEqual([])
})

test('an orphan is kept when a replica leaves', () => {
  expect(look(keepingOne(), surveyOf([[self, [0, 1]]]), 4_000).memory.keptUntil).toEqual(new Map([[1, 303_000]]))
})

test('nothing is kept that another replica was faster to lock, or that is of the share', () => {
  const first = look(nothingSeen, oneFree, 0)
  const later = look(first.memory, oneFree, 3_000)
  expect([...keepOrphans(later, [], 3_000).keptUntil]).toEqual([])
  expect([...keepOrphans(later, [0], 3_000).keptUntil]).toEqual([])
})
