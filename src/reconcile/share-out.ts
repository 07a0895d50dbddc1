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

/**
 * Shares differ by one relayer at most, and the larger ones are for those who hold more already: nothing moves that need
 * not. A slot of several relayers moves as a whole, so that what is held may differ from the share by those.
 */
export function shareOut(survey: Survey, { weights, leaving, kept }: Holding): Shares {
  const weightOf = (slot: Slot) => weights.get(slot) ?? 1
  const sum = (slots: Iterable<Slot>) => [...slots].reduce((total, slot) => total + weightOf(slot), 0)
  const mine = survey.members.get(survey.self) ?? new Set<Slot>()
  const taken = new Set([...survey.members.values(), survey.barred].flatMap((slots) => [...slots]))
  const untaken = [...weights.keys()].filter((slot) => !taken.has(slot))

  const held = new Map([...survey.members].map(([member, slots]) => [member, sum(slots)]))
  const total = sum(untaken) + [...held.values()].reduce((all, each) => all + each, 0)
  const share = shareOf(survey.self, held, total)

  const give: Slot[] = []
  const staying = [...mine].filter((slot) => !leaving.has(slot))
  let surplus = sum(staying) - share
  for (const slot of staying) {
    // What this replica can't advance is no use here.
    const isUseless = !weights.has(slot)
    if (!isUseless && (kept.has(slot) || weightOf(slot) > surplus)) continue
    give.push(slot)
    surplus -= weightOf(slot)
  }

  // The answer to its unlocking is on its way, and would take away what was locked anew.
  const free = untaken.filter((slot) => !leaving.has(slot))
  const take: Slot[] = []
  let room = share - sum(mine)
  for (const slot of turned(free, survey.self)) {
    if (room <= 0) break
    take.push(slot)
    room -= weightOf(slot)
  }
  return { take, give, free }
}

function shareOf(self: Member, held: ReadonlyMap<Member, number>, total: number): number {
  const ranked = [...held].sort(([one, hasOne], [other, hasOther]) => hasOther - hasOne || one - other)
  const rank = ranked.findIndex(([member]) => member === self)
  const least = Math.floor(total / ranked.length)
  return rank < total % ranked.length ? least + 1 : least
}

/** Those who take at the same time begin at different places, and seldom want the same. */
function turned(slots: readonly Slot[], self: Member): readonly Slot[] {
  const sorted = [...slots].sort((one, other) => one - other)
  const start = sorted.length === 0 ? 0 : Math.imul(self, 2_654_435_761) >>> 0
  return sorted.map((_, index) => sorted[(start + index) % sorted.length] as Slot)
}
