// The slot of each relayer, and the slots that a replica takes and gives up at a look, by its share and by what it remembers of earlier
// looks: pure.
import type { RelayerId } from '../domain/ids.ts'
import { type Member, type Slot, type Survey, slotsMax } from '../store/locks.ts'
import { shareOut } from './share-out.ts'

/**
 * The slot of a relayer: alike on every replica, whatever else its configuration holds. FNV-1a over the UTF-16 units of the id: spread,
 * not secrecy. Relayers that meet in a slot are owned together.
 */
export function slotOf(relayer: RelayerId): Slot {
  let hash = 0x811c9dc5
  for (let index = 0; index < relayer.length; index += 1) {
    hash = Math.imul(hash ^ relayer.charCodeAt(index), 0x01000193)
  }
  // The lower bits of FNV are the weaker ones.
  return ((hash ^ (hash >>> 16)) >>> 0) % slotsMax
}

export function bySlot(relayers: Iterable<RelayerId>): ReadonlyMap<Slot, readonly RelayerId[]> {
  const slots = new Map<Slot, RelayerId[]>()
  for (const relayer of relayers) {
    const slot = slotOf(relayer)
    const known = slots.get(slot)
    if (known) known.push(relayer)
    else slots.set(slot, [relayer])
  }
  return slots
}

/** A slot that no replica takes for so long is for any of them, whatever the shares say: others may lack its key or network. */
const orphanedMs = 3_000
/** The time for which a replica keeps such a slot beyond its share, unless another replica joins. */
const keptMs = 300_000

/** The memory of one session. Times are by `clock.elapsed()`. */
export interface SlotMemory {
  readonly freeSince: ReadonlyMap<Slot, number>
  readonly keptUntil: ReadonlyMap<Slot, number>
  readonly members: ReadonlySet<Member>
}

export const nothingSeen: SlotMemory = { freeSince: new Map(), keptUntil: new Map(), members: new Set() }

interface Look {
  readonly survey: Survey
  /** Relayers by slot: those that this replica can advance. */
  readonly weights: ReadonlyMap<Slot, number>
  /** Slots that are being given up. */
  readonly leaving: ReadonlySet<Slot>
  readonly now: number
}

interface Choice {
  readonly give: readonly Slot[]
  readonly take: readonly Slot[]
  /** Slots to take beyond the share: no replica has taken them for a while. */
  readonly orphans: ReadonlySet<Slot>
  readonly memory: SlotMemory
}

export function chooseSlots(memory: SlotMemory, { survey, weights, leaving, now }: Look): Choice {
  const keptUntil = stillKept(memory, survey, now)
  const { take, give, free } = shareOut(survey, { weights, leaving, kept: new Set(keptUntil.keys()) })
  const freeSince = new Map(free.map((slot) => [slot, memory.freeSince.get(slot) ?? now]))
  const orphans = new Set(free.filter((slot) => now - (freeSince.get(slot) ?? now) >= orphanedMs))
  return { give, take, orphans, memory: { freeSince, keptUntil, members: new Set(survey.members.keys()) } }
}

/** A replica that joins may be able to advance what the others can't: nothing is kept from it. */
function stillKept({ keptUntil, members }: SlotMemory, survey: Survey, now: number): ReadonlyMap<Slot, number> {
  if ([...survey.members.keys()].some((member) => !members.has(member))) return new Map()
  return new Map([...keptUntil].filter(([, until]) => until > now))
}

/** Remembers the orphaned slots that this session locked. */
export function keepOrphans({ memory, orphans }: Choice, locked: readonly Slot[], now: number): SlotMemory {
  const kept = locked.filter((slot) => orphans.has(slot)).map((slot): [Slot, number] => [slot, now + keptMs])
  return { ...memory, keptUntil: new Map([...memory.keptUntil, ...kept]) }
}
