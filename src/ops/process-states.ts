// The conditions of this process. Each replica has its own: they are not stored, and a database that is out hides none of them.
import type { HeldProcessCondition, ProcessCondition } from '../domain/process-condition.ts'
import type { Clock } from './clock.ts'

export interface ProcessStates {
  /** Those that may ever hold. */
  readonly all: readonly ProcessCondition[]
  /** Whether the condition holds from now on. The newest `reason` is shown. */
  set(condition: ProcessCondition, holds: boolean, reason?: string): void
  /** As `set`, for one that shows itself only to who looks: `holds` is called with each `held`. */
  watch(condition: ProcessCondition, holds: () => boolean): void
  /** The oldest first. */
  held(): readonly HeldProcessCondition[]
}

export function watchProcess(clock: Pick<Clock, 'now'>, all: readonly ProcessCondition[]): ProcessStates {
  const entries = new Map<ProcessCondition, HeldProcessCondition>()
  const watched = new Map<ProcessCondition, () => boolean>()

  function set(condition: ProcessCondition, holds: boolean, reason?: string): void {
    const since = entries.get(condition)?.since ?? clock.now()
    if (holds) entries.set(condition, { condition, since, ...(reason !== undefined && { reason }) })
    else entries.delete(condition)
  }

  return {
    all,
    set,
    watch: (condition, holds) => void watched.set(condition, holds),
    held() {
      for (const [condition, holds] of watched) set(condition, holds())
      return [...entries.values()]
    },
  }
}
