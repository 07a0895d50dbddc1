// The conditions of this process. Each replica has its own: they are not stored, and a database that is out hides none of them.
import type { HeldProcessCondition, ProcessCondition } from '../domain/process-condition.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Clock } from './clock.ts'

export interface ProcessStates {
  /** Those that may ever hold. */
  readonly all: readonly ProcessCondition[]
  /** Whether the condition holds from now on. */
  set(condition: ProcessCondition, holds: boolean): void
  /** As `set`, for one that shows itself only to who looks: `holds` is called with each `held`. */
  watch(condition: ProcessCondition, holds: () => boolean): void
  /** The oldest first. */
  held(): readonly HeldProcessCondition[]
}

export function watchProcess(clock: Pick<Clock, 'now'>, all: readonly ProcessCondition[]): ProcessStates {
  const since = new Map<ProcessCondition, TimestampMs>()
  const watched = new Map<ProcessCondition, () => boolean>()

  function set(condition: ProcessCondition, holds: boolean): void {
    if (!holds) since.delete(condition)
    else if (!since.has(condition)) since.set(condition, clock.now())
  }

  return {
    all,
    set,
    watch: (condition, holds) => void watched.set(condition, holds),
    held() {
      for (const [condition, holds] of watched) set(condition, holds())
      return [...since].map(([condition, began]) => ({ condition, since: began }))
    },
  }
}
