// The states of a delivery as literals, not parameters: otherwise a planner does not match a query with a partial index.
import { sql } from 'kysely'

export const isWaiting = sql<boolean>`state = 'waiting'`
export const isDead = sql<boolean>`state = 'dead'`
