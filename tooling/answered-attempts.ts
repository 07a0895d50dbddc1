// The attempts in SQL, each with what nodes answered last: for tests, which read the rows themselves.
import type { BroadcastOutcome, BroadcastState } from '../src/domain/attempt.ts'
import type { AttemptTable } from '../src/store/schema.ts'
import { serverVariable } from './tested-database.ts'

export interface AnsweredAttempt extends AttemptTable {
  readonly state: BroadcastState['state']
  readonly outcome: BroadcastOutcome['kind'] | null
  readonly outcome_code: string | null
  readonly outcome_message: string | null
  readonly rejections: string | null
  readonly answered_at: number | null
}

const tested = process.env[serverVariable] === undefined ? 'sqlite' : 'postgres'

/** As a table; `transactions` holds the answers while the nonce is bound. */
export function answeredAttempts(dialect: 'sqlite' | 'postgres' = tested): string {
  const json = dialect === 'postgres' ? '::json' : ''
  return `(SELECT each.*, coalesce(said ->> 'state', 'sending') AS state, said -> 'outcome' ->> 'kind' AS outcome,
      said -> 'outcome' ->> 'code' AS outcome_code, coalesce(said -> 'outcome' ->> 'message', said ->> 'reason') AS outcome_message,
      said ->> 'rejections' AS rejections, CAST(said ->> 'at' AS BIGINT) AS answered_at
    FROM (SELECT attempts.*, coalesce(CASE WHEN transactions.nonce = attempts.nonce THEN broadcasts${json} -> position END, broadcast${json}) AS said
      FROM attempts JOIN transactions ON transactions.id = transaction_id) AS each)`
}
