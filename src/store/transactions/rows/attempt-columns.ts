// The columns of attempts, with the types that PostgreSQL needs to read them from lists.
import { sql } from 'kysely'
import { keysOf } from '../../../domain/defined.ts'
import type { ListType } from '../../in-lists.ts'
import type { NewAttempt } from './attempt-row.ts'

export const attemptColumns = {
  transaction_id: 'text',
  nonce: 'bigint',
  position: 'integer',
  hash: 'text',
  kind: 'text',
  revision: 'integer',
  gas_limit: 'bigint',
  gas_price: 'text',
  max_fee_per_gas: 'text',
  max_priority_fee_per_gas: 'text',
  raw: 'text',
  r: 'text',
  s: 'text',
  v: 'bigint',
  recorded_at: 'bigint',
  recorded_at_block: 'bigint',
  recovered: 'integer',
  presigned: 'integer',
} as const satisfies Readonly<Record<keyof NewAttempt, ListType>>

// The columns of an attempt without its signed bytes, which may be large, and which no answer shows.
const unsignedNames = keysOf(attemptColumns).filter((name) => name !== 'raw')

/** With an empty text in the place of the bytes. */
export const unsignedColumns = [
  ...unsignedNames.map((name) => `attempts.${name}` as const),
  'attempts.broadcast' as const,
  sql<''>`''`.as('raw'),
]
