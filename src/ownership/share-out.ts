// How replicas share slots. Each computes the same shares from the same survey, so no agreement is needed.
import type { Member, Slot, Survey } from '../store/locks.ts'

export interface Shares {
  /** Free slots to try. */
  readonly take: readonly Slot[]
  /** Held slots that other replicas shall have. */
  readonly give: readonly Slot[]
  /** All free slots that this replica can advance, except those that it has released without a confirmation yet. */
  readonly free: readonly Slot[]
}

interface Holding {
  /** Relayers by slot: only those that this replica can advance. */
  readonly weights: ReadonlyMap<Slot, number>
  /** Slots that this replica is releasing. */
  readonly leaving: ReadonlySet<Slot>
  /** Slots that no other replica wants. */
  readonly kept: ReadonlySet<Slot>
}

interface Load {
  readonly member: Member
  /** The member's load, in relayers. */
  readonly weight: number
}

/**
 * Shares differ by one relayer at most, and the replicas with more already get the larger ones, so that no slot moves
 * needlessly. A slot of several relayers moves as a whole, so actual holdings differ by the heaviest slot at most.
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
    // This replica can't advance the slot, so it gives it away.
    const isUseless = !weights.has(slot)
    if (!isUseless && (kept.has(slot) || weightOf(slot) > surplus)) continue
    give.push(slot)
    surplus -= weightOf(slot)
  }

  // A kept slot shows that no other replica can take what this one gives: the slot would stand still for nothing.
  const isQuiet = untaken.length + leaving.size + kept.size + give.length === 0
  const givesByItself = ({ member, weight }: Load) => {
    const lightest = Math.min(...[...(survey.members.get(member) ?? [])].map(weightOf))
    return weight - shareOf(member, loads, 0) >= lightest
  }
  if (isQuiet && loads[0]?.member === survey.self && !loads.some(givesByItself)) {
    give.push(...evenOut(loads, staying, weightOf))
  }

  // The confirmation of its unlock is on its way, and would remove a new lock.
  const free = untaken.filter((slot) => !leaving.has(slot))
  return { take: handOf(survey.self, free, loads, weightOf), give, free }
}

/** A replica can't see the relayers of slots that it can't advance. It assumes the average of its own. */
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
 * Deals the heaviest slots first, each to the replica with the least so far. All replicas deal alike from the same
 * survey, so no two want one slot.
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
 * If every slot weighs more than its holder's surplus, no replica gives any, and a new replica would get none. So the
 * replica with the most gives its lightest slot, if the replica with the least then has less than the giver had. One at
 * a time: each move brings loads closer (the sum of their squares falls), so it ends.
 */
function evenOut(loads: readonly Load[], mine: readonly Slot[], weightOf: (slot: Slot) => number): readonly Slot[] {
  const difference = (loads[0]?.weight ?? 0) - (loads.at(-1)?.weight ?? 0)
  const [lightest] = [...mine].sort((one, other) => weightOf(one) - weightOf(other))
  return lightest !== undefined && weightOf(lightest) < difference ? [lightest] : []
}
