// Assigns relayers to slots: alike on every replica, whatever else its configuration holds.
import type { RelayerId } from '../domain/ids.ts'
import { type Slot, slotsMax } from '../store/locks.ts'

/** FNV-1a over the UTF-16 units of the id: spread, not secrecy. Relayers that meet in a slot are owned together. */
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
