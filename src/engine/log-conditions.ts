// Logs a relayer's conditions: once when one begins, once when it is over.
import { type Condition, runbookOf } from '../domain/condition.ts'
import type { Logger } from '../ops/logger.ts'

export function loggingConditions(logger: Logger): (conditions: readonly Condition[]) => void {
  let before: readonly Condition[] = []
  return (conditions) => {
    for (const condition of conditions) {
      if (!before.includes(condition))
        logger.warn({ condition, runbook: runbookOf(condition) }, 'a condition holds the relayer up')
    }
    for (const condition of before) {
      if (!conditions.includes(condition)) logger.info({ condition }, 'a condition no longer holds the relayer up')
    }
    before = conditions
  }
}
