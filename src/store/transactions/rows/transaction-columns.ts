// The columns of a transaction, named once for all queries that write them, each with its type in lists.
import type { ListType } from '../../in-lists.ts'
import type { PayloadColumns, TransactionTable } from '../../schema.ts'

type Columns = Readonly<Partial<Record<keyof TransactionTable, ListType>>>

/** Columns that never change. */
const identityColumns = {
  id: 'text',
  relayer_id: 'text',
  sequence: 'bigint',
  version: 'bigint',
  created_at: 'bigint',
  created_by: 'text',
  origin: 'text',
} as const satisfies Columns

/** A PUT changes these, and `earlier` and `valid_until`. */
export const payloadColumns = {
  from_address: 'text',
  to_address: 'text',
  value: 'text',
  data: 'text',
  gas_limit: 'bigint',
  pricing: 'text',
  speed: 'text',
  gas_price: 'text',
  max_fee_per_gas: 'text',
  max_priority_fee_per_gas: 'text',
  access_list: 'text',
  allow_out_of_gas: 'integer',
} as const satisfies Readonly<Record<keyof PayloadColumns, ListType>>

const beginningColumns = { phase: 'text', open: 'integer', status: 'text' } as const satisfies Columns

/** Every send begins with these; all other columns are null then. */
export const queuedColumns = {
  ...identityColumns,
  ...payloadColumns,
  valid_until: 'bigint',
  ...beginningColumns,
} as const satisfies Columns

/** The end of a queued transaction changes these, and ends its wait. */
export const endColumns = {
  ...beginningColumns,
  listed_status: 'text',
  status_reason: 'text',
  canceled_at: 'bigint',
  cancel_origin: 'text',
  verdict: 'text',
  ended_at: 'bigint',
  drop_reason: 'text',
} as const satisfies Columns

/** A step may change these. */
export const progressColumns = {
  ...endColumns,
  wait_condition: 'text',
  wait_facts: 'text',
  wait_since: 'bigint',
  nonce: 'bigint',
  broadcasts: 'text',
  sent_at: 'bigint',
  confirmed_at: 'bigint',
  included_kind: 'text',
  included_hash: 'text',
  included_block: 'bigint',
  included_block_hash: 'text',
  included_succeeded: 'integer',
  included_contradicted: 'integer',
  revert_reason: 'text',
  gas_used: 'bigint',
  effective_gas_price: 'text',
  l1_fee: 'text',
  witnesses: 'integer',
  suspected_hash: 'text',
  suspected_nonce: 'bigint',
  give_ups: 'integer',
  cancel_cost_max: 'text',
  hold: 'text',
  held_until: 'bigint',
  bulk_part: 'bigint',
  four_eyes: 'text',
  was_held: 'integer',
  was_passed: 'integer',
} as const satisfies Columns

/** A type error unless each column of the table is in one of them. */
export const transactionColumns = {
  ...queuedColumns,
  earlier: 'text',
  ...progressColumns,
} as const satisfies Readonly<Record<keyof TransactionTable, ListType>>

/** Picks these columns of a row, or the parameters that stand for them. */
export function pick<K extends string, P extends Readonly<Record<K, unknown>>>(p: P, names: readonly K[]): Pick<P, K> {
  // The keys are from `names`, and the values from `p`.
  return Object.fromEntries(names.map((name) => [name, p[name]])) as Pick<P, K>
}
