// The member of a condition that leads to its section of the runbook.
import { Type } from 'typebox'
import { type HeldCondition, type NetworkConditionName, runbookOf } from '../../domain/condition.ts'

export function runbookSchema(example: HeldCondition | NetworkConditionName) {
  return Type.String({
    description: 'The page about the condition: a path at this service, unless DOCS_ENABLED is false',
    examples: [runbookOf(example)],
  })
}
