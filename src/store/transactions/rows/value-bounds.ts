// Bounds of a transaction's value. Of decimals without leading zeros, the longer one is greater; of two with one length, the later text.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Wei } from '../../../domain/units.ts'

/** Parameters of `isValueBetween`. */
export interface ValueBounds {
  readonly valueFrom: string
  readonly valueFromChars: number
  readonly valueTo: string
  readonly valueToChars: number
}

/** A bound that is absent is open. */
export function valueBounds(filter: { readonly valueFrom?: Wei; readonly valueTo?: Wei }): ValueBounds {
  const [valueFrom, valueTo] = [String(filter.valueFrom ?? 0n), String(filter.valueTo ?? 2n ** 256n)]
  return { valueFrom, valueFromChars: valueFrom.length, valueTo, valueToChars: valueTo.length }
}

export function isValueBetween(p: ValueBounds): RawBuilder<SqlBool> {
  return sql`(length(value) > ${p.valueFromChars} OR (length(value) = ${p.valueFromChars} AND value >= ${p.valueFrom}))
    AND (length(value) < ${p.valueToChars} OR (length(value) = ${p.valueToChars} AND value <= ${p.valueTo}))`
}
