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

interface Load {
  readonly member: Member
  /** In relayers. */
  readonly weight: number
}

/**
 * Shares differ by one relayer at most, and the larger ones are for those who hold more already: nothing moves that need
 * not. A slot of several relayers moves as a whole, so that what is held differs by the heaviest slot at most.
 */
export function shareOut(survey: Survey, { weights, leaving, kept }: Holding): Shares {
  const weightOf = weighing(weights)
  const sum = (slots: Iterable<Slot>) => [...slots].reduce((total, slot) => total + weightOf(slot), 0)
  const mine = survey.members.get(survey.self) ?? new Set<Slot>()
  const taken = new Set([...survey.members.values(), survey.barred].flatMap((slots) => [...slots]))
  const untaken = [...weights.keys()].filter((slot) => !taken.has(slot))
  const loads = richestFirst([...survey.members].map(([member, slots]) => ({ member, weight: sum(slots) })))

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

  // What is kept shows that somebody can't take what is given: it would stand still, for nothing.
  const isQuiet = untaken.length + leaving.size + kept.size + give.length === 0
  const givesByItself = ({ member, weight }: Load) => {
    const lightest = Math.min(...[...(survey.members.get(member) ?? [])].map(weightOf))
    return weight - shareOf(member, loads, 0) >= lightest
  }
  if (isQuiet && loads[0]?.member === survey.self && !loads.some(givesByItself)) {
    give.push(...evenOut(loads, staying, weightOf))
  }

  // The answer to its unlocking is on its way, and would take away what was locked anew.
  const free = untaken.filter((slot) => !leaving.has(slot))
  return { take: handOf(survey.self, free, loads, weightOf), give, free }
}

/** How many relayers a slot has that this replica can't advance it does not know: as many as its own, most likely. */
function weighing(weights: ReadonlyMap<Slot, number>): (slot: Slot) => number {
  const total = [...weights.values()].reduce((all, each) => all + each, 0)
  const average = weights.size === 0 ? 1 : total / weights.size
  return (slot) => weights.get(slot) ?? average
}

function richestFirst(loads: readonly Load[]): readonly Load[] {
  return [...loads].sort((one, other) => other.weight - one.weight || one.member - other.member)
}

function shareOf(self: Member, loads: readonly Load[], freeWeight: number): number {
  const total = loads.reduce((all, { weight }) => all + weight, freeWeight)
  const rank = loads.findIndex(({ member }) => member === self)
  const least = Math.floor(total / loads.length)
  return rank < total % loads.length ? least + 1 : least
}

/**
 * The heaviest first, each to whoever has least by then. All deal the same from the same survey, so that no two want one
 * slot.
 */
function handOf(
  self: Member,
  free: readonly Slot[],
  loads: readonly Load[],
  weightOf: (slot: Slot) => number,
): readonly Slot[] {
  const hands = loads.map(({ member, weight }) => ({ member, weight, slots: [] as Slot[] }))
  for (const slot of [...free].sort((one, other) => weightOf(other) - weightOf(one) || one - other)) {
    const poorest = hands.reduce((least, hand) => (hand.weight < least.weight ? hand : least))
    poorest.slots.push(slot)
    poorest.weight += weightOf(slot)
  }
  return hands.find(({ member }) => member === self)?.slots ?? []
}

/**
 * Where every slot weighs more than what its holder has too much, nobody gives any, and somebody who came would get none. So
 * whoever has most gives its lightest, if whoever has least has less with it than the giver had. One at a time: loads come
 * closer with each (the sum of their squares falls), so it ends.
 */
function evenOut(loads: readonly Load[], mine: readonly Slot[], weightOf: (slot: Slot) => number): readonly Slot[] {
  const difference = (loads[0]?.weight ?? 0) - (loads.at(-1)?.weight ?? 0)
  const [lightest] = [...mine].sort((one, other) => weightOf(one) - weightOf(other))
  return lightest !== undefined && weightOf(lightest) < difference ? [lightest] : []
}
