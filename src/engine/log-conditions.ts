// A relayer's conditions into the log: once when one begins, once when it is over.
import type { Condition } from '../domain/condition.ts'
import type { Logger } from '../ops/logger.ts'

export function loggingConditions(logger: Logger): (conditions: readonly Condition[]) => void {
  let before: readonly Condition[] = []
  return (conditions) => {
    for (const condition of conditions) {
      if (!before.includes(condition)) logger.warn({ condition }, 'something holds the relayer up')
    }
    for (const condition of before) {
      if (!conditions.includes(condition)) logger.info({ condition }, 'this holds the relayer up no more')
    }
    before = conditions
  }
}
