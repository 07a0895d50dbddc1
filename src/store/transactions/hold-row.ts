// Converts holds to columns and back.
import type { Hold } from '../../domain/hold.ts'
import type { Lifecycle } from '../../domain/transaction.ts'
import { fromJson, type Json, toJson } from '../json.ts'

export interface HoldColumns {
  readonly hold: Json<Hold> | null
  readonly held_until: number | null
}

/** A hold that time never ends is in the index of holds too, last: a step sees there whether any is left. */
const never = Number.MAX_SAFE_INTEGER

export function holdToRow(lifecycle: Lifecycle): HoldColumns {
  if (lifecycle.phase !== 'held') return { hold: null, held_until: null }
  return { hold: toJson(lifecycle.hold), held_until: lifecycle.hold.until ?? never }
}

export function holdFromRow(hold: Json<Hold>): Hold {
  return fromJson(hold)
}
