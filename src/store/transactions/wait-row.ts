// Converts waits to columns and back. The facts are JSON, in which an amount of wei is {"wei":"…"}.
import type { Selectable } from 'kysely'
import type { Reason, Wait } from '../../domain/wait-facts.ts'
import { sentenceOf } from '../../domain/wait-sentence.ts'
import { amountsFrom, amountsToText } from '../json.ts'
import type { TransactionTable } from '../schema.ts'
import { storableText } from '../storable-text.ts'

export const waitColumns = ['canceled_at', 'wait_condition', 'wait_text', 'wait_facts', 'wait_since'] as const

export type WaitRow = Pick<Selectable<TransactionTable>, (typeof waitColumns)[number]>

export function waitToRow(wait: Wait | undefined): Omit<WaitRow, 'canceled_at'> {
  return {
    wait_condition: wait?.condition ?? null,
    wait_text: storableText(wait?.text),
    wait_facts: wait?.facts ? amountsToText({ condition: wait.condition, facts: wait.facts }) : null,
    wait_since: wait?.since ?? null,
  }
}

/**
 * Without facts if the row's text is not their sentence: a replica of an earlier release wrote the text alone, or this
 * release words it in another way.
 */
export function waitFromRow(row: WaitRow): Wait | undefined {
  const { wait_condition: condition, wait_text: text } = row
  if (condition === null || text === null) return undefined
  const reason = row.wait_facts === null ? undefined : amountsFrom<Reason>(row.wait_facts)
  if (reason?.condition !== condition || sentenceOf(reason, row.canceled_at !== null) !== text)
    return { condition, text }
  return { condition, text, facts: reason.facts, ...(row.wait_since !== null && { since: row.wait_since }) }
}
