// Presents why a transaction waits.
import { type Static, Type } from 'typebox'
import { conditions, runbookOf } from '../../domain/condition.ts'
import type { Wait } from '../../domain/wait-facts.ts'
import { sentenceOf } from '../../domain/wait-sentence.ts'
import { closed, such, time } from '../response/forms.ts'
import { nameInApi, presentTime, runbookSchema } from '../response/present-values.ts'

export const factsSchema = Type.Object(
  {},
  {
    title: 'WaitFacts',
    additionalProperties: true,
    description: 'The figures of the condition, as in the text; amounts of wei are text',
  },
)

const conditionSchema = Type.Enum([...conditions], { title: 'WaitCondition' })

/** The conditions of a relayer: those of its transactions, and those that none has. */
export const heldConditionSchema = Type.Union([
  conditionSchema,
  Type.Literal('step_failing'),
  Type.Literal('foreign_use'),
])

export const waitSchema = closed('Wait', {
  description: 'Why it waits, as of the last observation; absent while nothing holds it up',
})({
  condition: conditionSchema,
  facts: factsSchema,
  text: such('waits: the relayer is paused; unpause it, or cancel this'),
  since: time('When the condition began to hold'),
  runbook: runbookSchema('paused'),
})

/** `isCanceled`: of the transaction that waits. */
export function presentWait(wait: Wait, isCanceled: boolean): Static<typeof waitSchema> {
  const { condition, facts, since } = wait
  return {
    condition,
    facts: presentFacts(facts),
    text: sentenceOf(wait, isCanceled),
    since: presentTime(since),
    runbook: runbookOf(condition),
  }
}

/** Presents facts by the names of the API, with amounts as text. */
export function presentFacts(facts: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [nameInApi(name), presentFact(fact)]))
}

function presentFact(fact: unknown): unknown {
  if (typeof fact === 'bigint') return fact.toString()
  return typeof fact === 'object' && fact !== null ? presentFacts(fact) : fact
}
