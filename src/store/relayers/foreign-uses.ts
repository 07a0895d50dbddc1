// Foreign uses of relayers' keys: how far each account was looked at, what was found, and what the record says of nonces.
import { sql } from 'kysely'
import type { ForeignUse, OnRecord } from '../../domain/foreign-use.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Nonce } from '../../domain/units.ts'
import type { ForeignUseTable } from '../access-tables.ts'
import { insertionOnce, upsert } from '../insert-rows.ts'
import type { ForeignLook, RelayerChanges, RelayerReads } from '../relayer-port.ts'
import type { TransactionTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import { fromJson, toJson } from '../values.ts'

const look = statement<{ id: RelayerId }, { looked_below: number }>((db, p) =>
  db.selectFrom('foreign_looks').select('looked_below').where('relayer_id', '=', p.id),
)

export async function findLookedBelow(executor: Executor, id: RelayerId): Promise<Nonce | undefined> {
  return (await first(executor, look, { id }))?.looked_below
}

/** Enough for a page. A run of nonces is one entry, so more come only with many acknowledgments. */
const usesMax = 100

const usesOf = (isOpen: boolean) =>
  statement<{ id: RelayerId; from: number; limit: number }, ForeignUseTable>((db, p) =>
    db
      .selectFrom('foreign_uses')
      .selectAll()
      .where('relayer_id', '=', p.id)
      .where('last_nonce', '>=', p.from)
      .$if(isOpen, (query) => query.where('acknowledgment', 'is', null))
      .orderBy('first_nonce', 'desc')
      .limit(p.limit),
  )
const [newest, unacknowledged] = [usesOf(false), usesOf(true)]

const useFromRow = (row: ForeignUseTable): ForeignUse => ({
  first: row.first_nonce,
  last: row.last_nonce,
  ...(row.hash !== null && row.block !== null && { spender: { hash: row.hash, block: row.block } }),
  foundAt: row.found_at,
  mayBeLost: row.may_be_lost === 1,
  ...(row.acknowledgment !== null && { acknowledged: fromJson(row.acknowledgment) }),
})

async function findUses(
  executor: Executor,
  uses: typeof newest,
  id: RelayerId,
  from: Nonce = 0,
): Promise<readonly ForeignUse[]> {
  return (await executor.all(uses, { id, from, limit: usesMax })).map(useFromRow).reverse()
}

const recordColumns = ['phase', 'included_kind', 'included_hash', 'included_block', 'confirmed_at'] as const
type RecordRow = Pick<TransactionTable, (typeof recordColumns)[number]> & { nonce: number }

const recorded = statement<{ id: RelayerId; from: number; below: number }, RecordRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select([sql<number>`nonce`.as('nonce'), ...recordColumns])
    .where('relayer_id', '=', p.id)
    .where('nonce', 'is not', null)
    .where('nonce', '>=', p.from)
    .where('nonce', '<', p.below)
    .orderBy('nonce'),
)
// Given up for now, a transaction returns to the queue, and its nonce is the one of our no-op.
const givenUp = statement<{ id: RelayerId; from: number; below: number }, { nonce: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .innerJoin('attempts', 'attempts.transaction_id', 'transactions.id')
    .select('attempts.nonce')
    .distinct()
    .where('transactions.relayer_id', '=', p.id)
    .where(sql<boolean>`transactions.give_ups IS NOT NULL`)
    .where('attempts.kind', '=', 'cancel')
    .where('attempts.nonce', '>=', p.from)
    .where('attempts.nonce', '<', p.below),
)

/** Rows come before the attempts of those that returned to the queue: one that returns meanwhile is among either. */
async function readRecord(executor: Executor, id: RelayerId, from: Nonce, below: Nonce): Promise<readonly OnRecord[]> {
  const rows = (await executor.all(recorded, { id, from, below })).map(onRecord)
  if (rows.length === below - from) return rows
  const held = new Set(rows.map(({ nonce }) => nonce))
  const returned = (await executor.all(givenUp, { id, from, below })).filter(({ nonce }) => !held.has(nonce))
  return [...rows, ...returned.map(({ nonce }) => ({ by: 'ours' as const, nonce, isFinal: true }))]
}

function onRecord(row: RecordRow): OnRecord {
  const { nonce, phase, included_kind: kind, included_hash: hash, included_block: block, confirmed_at: at } = row
  const isFinal = phase === 'final'
  if (kind === null || hash === null || block === null) return { by: 'undecided', nonce }
  if (kind !== 'external') return { by: 'ours', nonce, isFinal }
  return isFinal || at !== null ? { by: 'foreign', nonce, spender: { hash, block } } : { by: 'undecided', nonce }
}

const putLook = upsert('foreign_looks', ['relayer_id'], ['looked_below'])
const extend = statement<{ id: RelayerId; first: number; last: number }, { first_nonce: number }>((db, p) =>
  db
    .updateTable('foreign_uses')
    .set({ last_nonce: p.last })
    .where('relayer_id', '=', p.id)
    .where('last_nonce', '=', sql<number>`${p.first} - 1`)
    .where('acknowledgment', 'is', null)
    .returning('first_nonce'),
)
const insertUse = insertionOnce(
  'foreign_uses',
  ['relayer_id', 'first_nonce'],
  ['last_nonce', 'hash', 'block', 'found_at', 'may_be_lost'],
)

async function recordLook(executor: Executor, id: RelayerId, { lookedBelow, found }: ForeignLook): Promise<void> {
  await executor.all(putLook, { relayer_id: id, looked_below: lookedBelow })
  if (!found) return
  // The run goes on: it is the same use, until somebody has seen it.
  if (await first(executor, extend, { id, first: found.first, last: found.last })) return
  await executor.all(insertUse, {
    relayer_id: id,
    first_nonce: found.first,
    last_nonce: found.last,
    hash: found.spender?.hash ?? null,
    block: found.spender?.block ?? null,
    found_at: found.foundAt,
    may_be_lost: found.mayBeLost ? 1 : 0,
  })
}

const acknowledge = statement<{ id: RelayerId; acknowledgment: string }>((db, p) =>
  db
    .updateTable('foreign_uses')
    .set({ acknowledgment: sql`${p.acknowledgment}` })
    .where('relayer_id', '=', p.id)
    .where('acknowledgment', 'is', null),
)

type ForeignReads = Pick<RelayerReads, 'lookedBelow' | 'foreignUses' | 'openForeignUses' | 'nonceRecord'>

export function foreignUseReads(executor: Executor): ForeignReads {
  return {
    lookedBelow: (id) => findLookedBelow(executor, id),
    foreignUses: (id, from) => findUses(executor, newest, id, from),
    openForeignUses: (id) => findUses(executor, unacknowledged, id),
    nonceRecord: (id, from, below) => readRecord(executor, id, from, below),
  }
}

type ForeignChanges = Pick<RelayerChanges, 'openForeignUses' | 'recordForeignLook' | 'acknowledgeForeignUses'>

export function foreignUseChanges(executor: Executor): ForeignChanges {
  return {
    openForeignUses: (id) => findUses(executor, unacknowledged, id),
    recordForeignLook: (id, looked) => recordLook(executor, id, looked),
    async acknowledgeForeignUses(id, acknowledgment) {
      await executor.all(acknowledge, { id, acknowledgment: toJson(acknowledgment) })
    },
  }
}
