// The conditions of partial indexes, most of them of open rows. Literals, not parameters: otherwise the planner does not match the queries with the partial indexes.
import { sql } from 'kysely'

export const inQueue = sql<boolean>`open = 1 AND nonce IS NULL AND held_until IS NULL`
export const onHold = sql<boolean>`open = 1 AND held_until IS NOT NULL`
/** The open and the ended rows with a nonce, each by its index. */
export const withNonce = {
  open: sql<boolean>`transactions.open = 1 AND transactions.nonce IS NOT NULL`,
  ended: sql<boolean>`transactions.open = 0 AND transactions.nonce IS NOT NULL`,
}
/** With a nonce, and neither confirmed nor ended. */
export const inProgress = sql<boolean>`transactions.open = 1 AND transactions.nonce IS NOT NULL AND transactions.confirmed_at IS NULL`
/** Confirmed, and not final. A foreign spender counts as work in progress. */
export const unsettled = sql<boolean>`open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external'`
/** Confirmed, with a foreign spender. */
export const displaced = sql<boolean>`transactions.open = 1 AND transactions.confirmed_at IS NOT NULL AND transactions.included_kind = 'external'`
