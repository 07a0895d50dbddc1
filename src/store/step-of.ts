// Sums by steps of time.
import { type Expression, type RawBuilder, sql } from 'kysely'

/** The beginning of the step, which is a multiple of its length. */
export const stepOf = (at: Expression<number>, stepMs: unknown): RawBuilder<number> =>
  sql<number>`CAST(${at} - ${at} % CAST(${stepMs} AS BIGINT) AS BIGINT)`
