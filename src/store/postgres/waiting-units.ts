// Units that wait for a transaction, by relayer.
import type { RelayerId } from '../../domain/ids.ts'
import type { UnitOfRelayer } from './run-unit.ts'

/** Units in one transaction: bounds how long the relayers are locked. */
const unitsMax = 128

interface WaitingUnits {
  isEmpty(): boolean
  add(unit: UnitOfRelayer): void
  /** Removes the units of a relayer whose transaction no other may share. The relayer is busy until `release`. */
  takeAlone(): readonly UnitOfRelayer[]
  /** Removes the units of one shared transaction, of any relayers that are not busy. These are busy until `release`. */
  takeShared(): readonly UnitOfRelayer[]
  /** Frees the relayers of units whose transaction has ended. Relayers of those `left`, without an outcome, get one of their own. */
  release(units: readonly UnitOfRelayer[], left: readonly UnitOfRelayer[]): void
}

export function openWaitingUnits(): WaitingUnits {
  const waiting = new Map<RelayerId, UnitOfRelayer[]>()
  /** Relayers with a transaction under way. */
  const busy = new Set<RelayerId>()
  /** Relayers that a shared transaction has left. */
  const leftOver = new Set<RelayerId>()

  function isAlone(relayer: RelayerId, units: readonly UnitOfRelayer[]): boolean {
    return leftOver.has(relayer) || units.some(({ ahead }) => ahead.long || ahead.registry)
  }

  function* ready(): Generator<readonly [RelayerId, UnitOfRelayer[]]> {
    for (const each of waiting) if (!busy.has(each[0])) yield each
  }

  function take(relayer: RelayerId, units: UnitOfRelayer[], max: number): readonly UnitOfRelayer[] {
    busy.add(relayer)
    leftOver.delete(relayer)
    const taken = units.splice(0, max)
    // Behind the others, so that a long queue leaves them their turn.
    waiting.delete(relayer)
    if (units.length > 0) waiting.set(relayer, units)
    return taken
  }

  return {
    isEmpty: () => waiting.size === 0,
    add(unit) {
      const units = waiting.get(unit.relayer)
      if (units) units.push(unit)
      else waiting.set(unit.relayer, [unit])
    },
    takeAlone() {
      for (const [relayer, units] of ready()) if (isAlone(relayer, units)) return take(relayer, units, unitsMax)
      return []
    },
    takeShared() {
      const taken: UnitOfRelayer[] = []
      for (const [relayer, units] of ready()) {
        if (taken.length >= unitsMax) break
        if (!isAlone(relayer, units)) taken.push(...take(relayer, units, unitsMax - taken.length))
      }
      return taken
    },
    release(units, left) {
      for (const { relayer } of units) busy.delete(relayer)
      for (const [relayer, first] of Map.groupBy(left, (unit) => unit.relayer)) {
        leftOver.add(relayer)
        waiting.set(relayer, [...first, ...(waiting.get(relayer) ?? [])])
      }
    },
  }
}
