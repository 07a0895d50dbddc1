// Checks the writers of a relayer: only the process that acquired it last may write for it.
import type { RelayerId } from '../../src/domain/ids.ts'
import { slotOf } from '../../src/ownership/choose-slots.ts'
import type { Slot } from '../../src/store/locks.ts'
import type { Instance } from '../process/instance.ts'
import type { SimSession } from '../process/locks.ts'

/** The acts of a database transaction of an owner, in order. */
export type OwnersAct =
  | {
      readonly act: 'acquired'
      readonly relayer: string
      readonly epoch: bigint
      readonly under: SimSession | undefined
      /** The time of the request for the lock, in milliseconds. */
      readonly atMs: number
    }
  | { readonly act: 'wrote'; readonly relayer: string; readonly rows: number }

export interface Owners {
  /** A process has committed. */
  committed(instance: Instance, acts: readonly OwnersAct[]): void
  /** The database found that another epoch has begun. */
  refused(instance: Instance, relayer: string, epoch: bigint): void
  /** The engine begins a step, and reads its rows. */
  reads(instance: Instance, relayer: string): void
  /** The process begins no step under this lock any more, and will unlock it after the last one. */
  givesUp(instance: Instance, slot: Slot): void
  /** The number of steps that owners of the relayer have begun. */
  stepsOf(relayer: string): number
  /** The engine begins to broadcast bytes. */
  orders(instance: Instance, relayer: string): void
  /** False once the database rejects writes of the process for the relayer. */
  mayWrite(instance: Instance, relayer: string): boolean
}

interface Owning {
  readonly instance: Instance
  /** The session of the process when it began to acquire. Undefined where no replicas share the database. */
  readonly under: SimSession | undefined
  readonly holdsLock: boolean
}

/** A replica waits this long for its last step (`src/ownership/hold-slots.ts`). Then it releases its lock, and its writes are rejected. */
const lastStepMs = 3_000

export function watchOwners(fail: (what: string) => void, nowMs: () => number): Owners {
  /** The latest committed owner, by relayer, and by relayer and process. */
  const owners = new Map<string, Owning>()
  /** The time at which the last step began, by relayer and process, in milliseconds. */
  const readAt = new Map<string, number>()
  /** The time since which it begins no step, by process and lock, in milliseconds: the last one may read its rows again. */
  const givenUpAt = new Map<string, number>()
  const steps = new Map<string, number>()
  /** Owners by relayer and epoch. */
  const epochs = new Map<string, Owning>()
  const keyOf = (relayer: string, of: bigint | string) => `${relayer} ${of}`
  const lockOf = (instance: Instance, slot: Slot) => `p${instance.id} ${slot}`

  function acquired(instance: Instance, each: OwnersAct & { readonly act: 'acquired' }): void {
    const { relayer, epoch, under, atMs } = each
    const holdsLock = under?.holds(slotOf(relayer as RelayerId)) === true
    // A process that loses its lock during the acquisition ends the epoch of the next owner, which is harmless.
    if (under?.isOpen() && !holdsLock && nowMs() - atMs < lastStepMs) {
      fail(`p${instance.id} acquires ${relayer} without its lock`)
    }
    givenUpAt.delete(lockOf(instance, slotOf(relayer as RelayerId)))
    const owning = { instance, under, holdsLock }
    owners.set(relayer, owning)
    owners.set(keyOf(relayer, `p${instance.id}`), owning)
    epochs.set(keyOf(relayer, epoch), owning)
  }

  return {
    committed(instance, acts) {
      for (const each of acts) {
        const { relayer } = each
        if (each.act === 'acquired') {
          acquired(instance, each)
          continue
        }
        const owner = owners.get(relayer)
        if (each.rows > 0 && owner?.instance !== instance) {
          fail(`p${instance.id} wrote rows of ${relayer} although p${owner?.instance.id} had taken over`)
        }
      }
    },
    refused(instance, relayer, epoch) {
      const began = readAt.get(keyOf(relayer, `p${instance.id}`)) ?? Number.NEGATIVE_INFINITY
      const givenUp = givenUpAt.get(lockOf(instance, slotOf(relayer as RelayerId))) ?? began
      if (nowMs() - Math.min(began, givenUp) >= lastStepMs) return
      if (!owners.get(relayer)?.holdsLock || !epochs.get(keyOf(relayer, epoch))?.under?.isOpen()) return
      fail(
        `p${instance.id} was refused a write for ${relayer} though it never lost its locks: others had them too early`,
      )
    },
    reads(instance, relayer) {
      steps.set(relayer, (steps.get(relayer) ?? 0) + 1)
      readAt.set(keyOf(relayer, `p${instance.id}`), nowMs())
      if (owners.has(keyOf(relayer, `p${instance.id}`)) || instance.state === 'dead') return
      fail(`p${instance.id} reads what ${relayer} has to do before it has acquired it`)
    },
    givesUp(instance, slot) {
      const lock = lockOf(instance, slot)
      if (!givenUpAt.has(lock)) givenUpAt.set(lock, nowMs())
    },
    stepsOf: (relayer) => steps.get(relayer) ?? 0,
    orders(instance, relayer) {
      const under = owners.get(keyOf(relayer, `p${instance.id}`))?.under
      if (!under || instance.state === 'dead' || under.isBelieved()) return
      fail(`p${instance.id} begins to broadcast bytes of ${relayer} although its lease is over`)
    },
    mayWrite: (instance, relayer) => owners.get(relayer)?.instance === instance,
  }
}
