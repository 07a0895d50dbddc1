// The columns of an attempt without its signed bytes, which may be large, and which no answer shows.
import { sql } from 'kysely'
import { attemptColumns } from './save-attempts.ts'
import { namesOf } from './transaction-columns.ts'

const unsignedNames = namesOf(attemptColumns).filter((name) => name !== 'raw')

/** An empty text in the place of the bytes, as in a row that was shrunk. */
export const unsignedColumns = [
  ...unsignedNames.map((name) => `attempts.${name}` as const),
  'attempts.position' as const,
  sql<''>`''`.as('raw'),
]
