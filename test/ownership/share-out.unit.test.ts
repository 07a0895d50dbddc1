// The shares: fair, reached from anywhere in few rounds, and left alone once they are reached.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { bySlot, slotOf } from '../../src/ownership/choose-slots.ts'
import { type Shares, shareOut } from '../../src/ownership/share-out.ts'
import { type Member, type Slot, type Survey, slotsMax } from '../../src/store/locks.ts'

type Held = Map<Member, Set<Slot>>
type Weights = ReadonlyMap<Slot, number>

const surveyOf = (self: Member, held: Held, barred: readonly Slot[] = []): Survey => ({
  self,
  members: held,
  barred: new Set(barred),
})
const nothing = { leaving: new Set<Slot>(), kept: new Set<Slot>() }
const slots = (count: number) => new Map(Array.from({ length: count }, (_, slot) => [slot, 1]))

/** Each in its turn gives up and takes; answers how many slots changed hands. */
function round(held: Held, weights: Weights): number {
  let moved = 0
  for (const self of held.keys()) moved += act(self, held, shareOut(surveyOf(self, held), { ...nothing, weights }))
  return moved
}

/** All look before any of them acts. */
function roundAtOnce(held: Held, weights: Weights): number {
  const shares = [...held.keys()].map((self) => shareOut(surveyOf(self, held), { ...nothing, weights }))
  return [...held.keys()].reduce((moved, self, index) => moved + act(self, held, shares[index] as Shares), 0)
}

function act(self: Member, held: Held, { give, take }: Shares): number {
  const mine = held.get(self) as Set<Slot>
  for (const slot of give) mine.delete(slot)
  const taken = take.filter((slot) => ![...held.values()].some((its) => its.has(slot)))
  for (const slot of taken) mine.add(slot)
  return give.length + taken.length
}

const loads = (held: Held, weights: Weights) =>
  [...held.values()].map((its) => [...its].reduce((sum, slot) => sum + (weights.get(slot) ?? 1), 0))

test('from any beginning all is held, evenly to one, in a few rounds; and then nothing moves any more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
      (count, owners) => {
        const weights = slots(owners.length)
        const held: Held = new Map(Array.from({ length: count }, (_, index) => [index + 100, new Set<Slot>()]))
        // 0 and absent replicas: free.
        for (const [slot, owner] of owners.entries()) held.get(owner + 99)?.add(slot)
        for (let rounds = 0; rounds < 4; rounds += 1) round(held, weights)
        const found = loads(held, weights)
        expect(found.reduce((sum, each) => sum + each, 0)).toBe(owners.length)
        expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(1)
        expect(round(held, weights)).toBe(0)
      },
    ),
  )
})

/** Until nothing moves, which is soon; answers how many slots were given and taken. */
function settle(held: Held, weights: Weights, lookAround: (held: Held, weights: Weights) => number): number {
  let moves = 0
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const moved = lookAround(held, weights)
    if (moved === 0) return moves
    moves += moved
  }
  throw new Error('slots still move')
}

const inOrder = (found: readonly number[]) => [...found].sort((one, other) => one - other)
const spread = (found: readonly number[]) => Math.max(...found) - Math.min(...found)

test('slots of several relayers move as a whole, and the shares differ by the heaviest at most', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.record({ weight: fc.integer({ min: 1, max: 4 }), owner: fc.integer({ min: 0, max: 6 }) }), {
        maxLength: 40,
      }),
      fc.constantFrom(round, roundAtOnce),
      (count, each, lookAround) => {
        const weights = new Map(each.map(({ weight }, slot) => [slot, weight]))
        const held: Held = new Map(Array.from({ length: count }, (_, index) => [index + 1, new Set<Slot>()]))
        for (const [slot, { owner }] of each.entries()) held.get(owner)?.add(slot)
        settle(held, weights, lookAround)
        const found = loads(held, weights)
        expect(found.reduce((sum, one) => sum + one, 0)).toBe(each.reduce((sum, one) => sum + one.weight, 0))
        expect(spread(found)).toBeLessThanOrEqual(Math.max(1, ...each.map(({ weight }) => weight)))
      },
    ),
  )
})

test('nobody is left with less because the others have taken a heavy slot each', () => {
  const weights = new Map([4, 3, 3, 3, 4, 4, 4, 4, 4].map((weight, slot) => [slot, weight]))
  const held: Held = new Map([
    [1, new Set(weights.keys())],
    [2, new Set()],
    [3, new Set()],
    [4, new Set()],
  ])
  settle(held, weights, round)
  expect(spread(loads(held, weights))).toBeLessThanOrEqual(4)
})

test('one that comes to many with few each gets their surplus, and nothing goes round', () => {
  const weights = slots(20)
  const held: Held = new Map([1, 2, 3, 4, 5].map((member) => [member, new Set<Slot>()]))
  for (const slot of weights.keys()) held.get((slot % 5) + 1)?.add(slot)
  held.set(6, new Set())
  // Three are given and taken.
  expect(settle(held, weights, roundAtOnce)).toBe(6)
  expect(inOrder(loads(held, weights))).toEqual([3, 3, 3, 3, 4, 4])
})

test('a replica that sees little of the others’ shares takes them for as much as its own', () => {
  const held: Held = new Map([
    [1, new Set([0, 1])],
    [2, new Set([2, 3])],
  ])
  const weights = new Map([0, 1].map((slot) => [slot, 4]))
  expect(shareOut(surveyOf(1, held), { ...nothing, weights }).give).toEqual([])
})

test('one that comes gets its share, though none of the others has a whole slot too much', () => {
  const weights = new Map(Array.from({ length: 25 }, (_, slot) => [slot, 4]))
  const held: Held = new Map([1, 2, 3, 4, 5].map((member) => [member, new Set<Slot>()]))
  for (const slot of weights.keys()) held.get((slot % 5) + 1)?.add(slot)
  held.set(6, new Set())
  settle(held, weights, roundAtOnce)
  expect(inOrder(loads(held, weights))).toEqual([16, 16, 16, 16, 16, 20])
})

test('one that comes gets its share and no more moves than that; one that goes leaves its share to the others', () => {
  const weights = slots(1_000)
  const held: Held = new Map([
    [1, new Set(weights.keys())],
    [2, new Set()],
  ])
  expect(round(held, weights)).toBe(1_000)
  held.set(3, new Set())
  round(held, weights)
  round(held, weights)
  expect(inOrder(loads(held, weights))).toEqual([333, 333, 334])
  held.delete(1)
  expect(round(held, weights)).toBeLessThanOrEqual(335)
  expect(loads(held, weights)).toEqual([500, 500])
})

test('a slot being released counts as gone, one that nobody else wants is kept, a barred one is nobody’s', () => {
  const held: Held = new Map([
    [1, new Set([0, 1, 2, 3])],
    [2, new Set()],
  ])
  const of = (changes: object, barred: readonly Slot[] = []) =>
    shareOut(surveyOf(1, held, barred), { ...nothing, weights: slots(4), ...changes })
  expect(of({}).give).toHaveLength(2)
  expect(of({ leaving: new Set([0]) }).give).toHaveLength(1)
  expect(of({ kept: new Set([0, 1, 2, 3]) }).give).toEqual([])
  // What this replica can't advance is of no use to it.
  expect(of({ weights: new Map([[0, 1]]) }).give).toEqual(expect.arrayContaining([1, 2, 3]))
  const alone = new Map([[1, new Set<Slot>()]])
  expect(shareOut(surveyOf(1, alone, [2]), { ...nothing, weights: slots(4) }).free).toEqual([0, 1, 3])
})

test('a released slot is not taken again before its unlocking is answered, even if it is free by then', () => {
  const alone = new Map([[1, new Set<Slot>([1])]])
  const { take, free } = shareOut(surveyOf(1, alone), { ...nothing, weights: slots(2), leaving: new Set([0]) })
  expect({ take, free }).toEqual({ take: [], free: [] })
})

test('ids spread over the slots, and each has the same slot everywhere', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => `relayer-${index}` as RelayerId)
  const found = bySlot(ids)
  expect(Math.max(...[...found.values()].map(({ length }) => length))).toBeLessThan(10)
  expect(found.size).toBeGreaterThan(2_300)
  for (const id of ids) {
    expect(slotOf(id)).toBeGreaterThanOrEqual(0)
    expect(slotOf(id)).toBeLessThan(slotsMax)
  }
  // Between replicas of two versions everything depends on it.
  const some = ['', 'one', 'treasury', '0198f1c6-0000-7000-8000-000000000000']
  expect(some.map((id) => slotOf(id as RelayerId))).toEqual([3_289, 968, 12, 2_061])
})
