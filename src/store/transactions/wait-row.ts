// Converts waits to columns and back. The facts are JSON, in which an amount of wei is {"wei":"…"}.
import type { Selectable } from 'kysely'
import type { Condition } from '../../domain/condition.ts'
import { shownText } from '../../domain/shown-text.ts'
import type { Reason, Wait } from '../../domain/wait-facts.ts'
import { sentenceOf } from '../../domain/wait-sentence.ts'
import type { TransactionTable } from '../schema.ts'
import { storableText } from '../storable-text.ts'

export const waitColumns = ['canceled_at', 'wait_condition', 'wait_text', 'wait_facts', 'wait_since'] as const

export type WaitRow = Pick<Selectable<TransactionTable>, (typeof waitColumns)[number]>

export function waitToRow(wait: Wait | undefined): Omit<WaitRow, 'canceled_at'> {
  return {
    wait_condition: wait?.condition ?? null,
    wait_text: storableText(wait?.text),
    wait_facts: wait?.facts ? reasonToText(wait.condition, wait.facts) : null,
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
  const reason = row.wait_facts === null ? undefined : reasonFrom(row.wait_facts)
  if (reason?.condition !== condition || sentenceOf(reason, row.canceled_at !== null) !== text)
    return { condition, text }
  return { condition, text, facts: reason.facts, ...(row.wait_since !== null && { since: row.wait_since }) }
}

function reasonToText(condition: Condition, facts: Reason['facts']): string {
  return JSON.stringify({ condition, facts }, (_, value) => {
    if (typeof value === 'bigint') return { wei: value.toString() }
    return typeof value === 'string' ? shownText(value) : value
  })
}

function reasonFrom(text: string): Reason {
  return JSON.parse(text, (_, value) => amountOf(value) ?? value)
}

/** Of an object with `wei` as its only member. */
function amountOf(value: unknown): bigint | undefined {
  if (typeof value !== 'object' || value === null || !('wei' in value)) return undefined
  return typeof value.wei === 'string' && Object.keys(value).length === 1 ? BigInt(value.wei) : undefined
}
