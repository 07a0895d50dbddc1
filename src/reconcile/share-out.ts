// How replicas share slots: each comes to the same shares by itself, from the same survey, so that nobody has to agree.
import type { Member, Slot, Survey } from '../store/locks.ts'

export interface Shares {
  /** Free slots to try. */
  readonly take: readonly Slot[]
  /** Held slots that others are to have. */
  readonly give: readonly Slot[]
  /** All that nobody holds, of those that this replica can advance: not what it has given up and has not heard so. */
  readonly free: readonly Slot[]
}

export interface Holding {
  /** Relayers by slot: those that this replica can advance. */
  readonly weights: ReadonlyMap<Slot, number>
  /** Slots that are being given up. */
  readonly leaving: ReadonlySet<Slot>
  /** Slots that nobody else wants. */
  readonly kept: ReadonlySet<Slot>
}

type Load = readonly [Member, number]

/**
 * Shares differ by one relayer at most, and the larger ones are for those who hold more already: nothing moves that need
 * not. A slot of several relayers moves as a whole, so that what is held differs by the heaviest slot at most.
 */
export function shareOut(survey: Survey, { weights, leaving, kept }: Holding): Shares {
  const weightOf = (slot: Slot) => weights.get(slot) ?? 1
  const sum = (slots: Iterable<Slot>) => [...slots].reduce((total, slot) => total + weightOf(slot), 0)
  const mine = survey.members.get(survey.self) ?? new Set<Slot>()
  const taken = new Set([...survey.members.values(), survey.barred].flatMap((slots) => [...slots]))
  const untaken = [...weights.keys()].filter((slot) => !taken.has(slot))
  const loads = byLoad([...survey.members].map(([member, slots]) => [member, sum(slots)]))

  const give: Slot[] = []
  const staying = [...mine].filter((slot) => !leaving.has(slot))
  let surplus = sum(staying) - shareOf(survey.self, loads, sum(untaken))
  for (const slot of staying) {
    // What this replica can't advance is no use here.
    const isUseless = !weights.has(slot)
    if (!isUseless && (kept.has(slot) || weightOf(slot) > surplus)) continue
    give.push(slot)
    surplus -= weightOf(slot)
  }
  const isAtRest = untaken.length === 0 && leaving.size === 0 && give.length === 0
  if (isAtRest && loads[0]?.[0] === survey.self) {
    const movable = staying.filter((slot) => !kept.has(slot))
    give.push(...evenOut(loads, movable, weightOf))
  }

  // The answer to its unlocking is on its way, and would take away what was locked anew.
  const free = untaken.filter((slot) => !leaving.has(slot))
  return { take: dealt(free, loads, weightOf).get(survey.self) ?? [], give, free }
}

/** Who holds most comes first. */
function byLoad(loads: readonly Load[]): readonly Load[] {
  return [...loads].sort(([one, hasOne], [other, hasOther]) => hasOther - hasOne || one - other)
}

/** `free`: the weight of what nobody holds. */
function shareOf(self: Member, loads: readonly Load[], free: number): number {
  const total = loads.reduce((all, [, load]) => all + load, free)
  const rank = loads.findIndex(([member]) => member === self)
  const least = Math.floor(total / loads.length)
  return rank < total % loads.length ? least + 1 : least
}

/** Whoever has least gets the next, the heaviest first. All who see the same deal the same: no two want one slot. */
function dealt(
  free: readonly Slot[],
  loads: readonly Load[],
  weightOf: (slot: Slot) => number,
): ReadonlyMap<Member, readonly Slot[]> {
  const hands = loads.map(([member, load]) => ({ member, load, slots: [] as Slot[] }))
  for (const slot of [...free].sort((one, other) => weightOf(other) - weightOf(one) || one - other)) {
    const poorest = hands.reduce((least, hand) => (hand.load < least.load ? hand : least))
    poorest.slots.push(slot)
    poorest.load += weightOf(slot)
  }
  return new Map(hands.map(({ member, slots }) => [member, slots]))
}

/**
 * Where slots are too heavy for what is too much, many keep a little that one lacks. So whoever has most gives its lightest
 * as long as whoever has least stays below it with that. One at a time: the sum of the squares falls with each, and so it ends.
 */
function evenOut(loads: readonly Load[], movable: readonly Slot[], weightOf: (slot: Slot) => number): readonly Slot[] {
  const difference = (loads[0]?.[1] ?? 0) - (loads.at(-1)?.[1] ?? 0)
  const [lightest] = [...movable].sort((one, other) => weightOf(one) - weightOf(other))
  return lightest !== undefined && weightOf(lightest) < difference ? [lightest] : []
}
