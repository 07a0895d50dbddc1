// Relayers: their rows, their sequences, and the epoch that fences their owner's writes.
import { sql } from 'kysely'
import type { Work } from '../../domain/decide/plan/work.ts'
import { OwnershipLost } from '../../domain/errors.ts'
import type { Address, NetworkName, RelayerId } from '../../domain/ids.ts'
import type { NonceFloor, Relayer } from '../../domain/relayer.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { openQueue } from '../deliveries/delivery-queues.ts'
import type { Flag } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import { lastSequence, raiseToNewest } from './last-sequence.ts'
import { type RelayerFacts, type RelayerRow, relayerFromRow, relayerToRow } from './relayer-row.ts'
import { removeAllPresigned, removeOfOtherAccount } from './remove-presigned.ts'

const byId = statement<{ id: RelayerId }, RelayerRow>((db, p) =>
  db.selectFrom('relayers').selectAll().where('id', '=', p.id),
)

const byIdWithLast = statement<{ id: RelayerId }, RelayerRow & { last: number }>((db, p, dialect) =>
  db.selectFrom('relayers').selectAll().select(lastSequence(dialect).as('last')).where('id', '=', p.id),
)

export async function findRelayer(executor: Executor, id: RelayerId): Promise<Relayer | undefined> {
  const row = await first(executor, byId, { id })
  return row && relayerFromRow(row)
}

export async function findRelayerAndFloor(
  executor: Executor,
  id: RelayerId,
): Promise<Pick<Work, 'relayer' | 'floor' | 'lastSequence' | 'uncheckedThrough'> | undefined> {
  const row = await first(executor, byIdWithLast, { id })
  return (
    row && {
      relayer: relayerFromRow(row),
      floor: { spentBelow: row.spent_below, explainedBelow: row.explained_below },
      lastSequence: row.last,
      ...(row.unchecked_through !== null && { uncheckedThrough: row.unchecked_through }),
    }
  )
}

const byAddress = statement<{ address: Address }, RelayerRow>((db, p) =>
  db.selectFrom('relayers').selectAll().where('address', '=', p.address).orderBy('id'),
)

export async function findRelayersOf(executor: Executor, address: Address): Promise<readonly Relayer[]> {
  return (await executor.all(byAddress, { address })).map(relayerFromRow)
}

// Keeps sends out until the unit ends.
const locked = statement<{ id: RelayerId }, RelayerRow>((db, p, dialect) =>
  db
    .selectFrom('relayers')
    .selectAll()
    .where('id', '=', p.id)
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

const freeOnes = statement<{ ids: readonly RelayerId[] }, RelayerRow>((db, p) =>
  db.selectFrom('relayers').selectAll().where(sql<boolean>`id = ANY(${p.ids})`).forNoKeyUpdate().skipLocked(),
)

/** Locks the relayer's row, and waits for its lock. At most one row. */
export async function lockRelayer(executor: Executor, id: RelayerId): Promise<readonly RelayerRow[]> {
  return raiseToNewest(executor, executor.all(locked, { id }), [id])
}

/** The row for a transaction that keeps all others from writing, as one on SQLite does. */
export async function readRelayerRow(executor: Executor, id: RelayerId): Promise<RelayerRow | undefined> {
  const row = await first(executor, byIdWithLast, { id })
  return row && { ...row, last_sequence: row.last }
}

/** Locks the rows that no other transaction has locked. PostgreSQL only. */
export async function lockFreeRelayers(executor: Executor, ids: readonly RelayerId[]): Promise<readonly RelayerRow[]> {
  return raiseToNewest(executor, executor.all(freeOnes, { ids }), ids)
}

const page = statement<{ limit: number; offset: number }, RelayerRow>((db, p) =>
  db.selectFrom('relayers').selectAll().orderBy('id').limit(p.limit).offset(p.offset),
)
const count = statement<object, { total: number }>((db) =>
  db.selectFrom('relayers').select((eb) => eb.fn.countAll<number>().as('total')),
)

const ids = statement<object, { id: RelayerId }>((db) => db.selectFrom('relayers').select('id').orderBy('id'))

export async function relayerIds(executor: Executor): Promise<readonly RelayerId[]> {
  return (await executor.all(ids, {})).map(({ id }) => id)
}

export async function listRelayers(executor: Executor, limit: number, offset: number) {
  const rows = await executor.all(page, { limit, offset })
  const total = (await first(executor, count, {}))?.total ?? 0
  return { items: rows.map(relayerFromRow), total }
}

const formerlySpent = (chainId: number, address: string) =>
  sql<number>`COALESCE((SELECT MAX(spent_below) FROM former_relayers WHERE chain_id = ${chainId} AND address = ${address}), 0)`

/** Kept only while the account stays: another account has another history of nonces. */
const ofSameAccount = (column: 'spent_below' | 'explained_below' | 'unchecked_through', otherwise: 0 | null) =>
  sql<number>`CASE WHEN relayers.chain_id = excluded.chain_id AND relayers.address = excluded.address THEN ${sql.ref(`relayers.${column}`)} ELSE ${sql.lit(otherwise)} END`

/** The mark of the network decides, whatever the relayer's row said. */
const isNetworkPaused = (network: NetworkName) =>
  sql<Flag>`CASE WHEN EXISTS (SELECT 1 FROM network_pauses WHERE network = ${network}) THEN 1 ELSE 0 END`

const upsert = statement<RelayerFacts>((db, p) =>
  db
    .insertInto('relayers')
    .values({
      id: p.id,
      name: p.name,
      network: p.network,
      chain_id: p.chain_id,
      address: p.address,
      signer_id: p.signer_id,
      notification_id: p.notification_id,
      paused: p.paused,
      network_paused: isNetworkPaused(p.network),
      policies: p.policies,
      // A relayer created again under its id continues where it ended: its sequences are taken.
      epoch: sql<number>`COALESCE((SELECT epoch FROM former_relayers WHERE id = ${p.id}), 0)`,
      last_sequence: sql<number>`COALESCE((SELECT last_sequence FROM former_relayers WHERE id = ${p.id}), 0)`,
      spent_below: formerlySpent(p.chain_id, p.address),
      // It was deleted with nothing open, so no nonce of it is unexplained.
      explained_below: formerlySpent(p.chain_id, p.address),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        network: eb.ref('excluded.network'),
        chain_id: eb.ref('excluded.chain_id'),
        address: eb.ref('excluded.address'),
        signer_id: eb.ref('excluded.signer_id'),
        notification_id: eb.ref('excluded.notification_id'),
        paused: eb.ref('excluded.paused'),
        network_paused: eb.ref('excluded.network_paused'),
        policies: eb.ref('excluded.policies'),
        spent_below: ofSameAccount('spent_below', 0),
        explained_below: ofSameAccount('explained_below', 0),
        unchecked_through: ofSameAccount('unchecked_through', null),
      })),
    ),
)

/** Keeps the sequence and epoch of an existing relayer, and its floor while its account stays: they are its history. */
export async function saveRelayer(executor: Executor, relayer: Relayer): Promise<void> {
  await removeOfOtherAccount(executor, relayer)
  await executor.all(upsert, relayerToRow(relayer))
  // Its row is locked now: an owner that pre-signs writes before this, or finds the policy off.
  if (!relayer.policies.presignCancel) await removeAllPresigned(executor, relayer.id)
  if (relayer.notificationId !== undefined) await openQueue(executor, relayer.notificationId)
}

/** Outside of a commit that has the relayer's row in memory: see remember-row.ts. */
export async function reserveSequence(
  executor: Executor,
  id: RelayerId,
): Promise<{ relayer: Relayer; sequence: number; gaveUpAt?: TimestampMs } | undefined> {
  const reserved = await reserveSequences(executor, id, 1)
  if (!reserved) return undefined
  const { first: sequence, ...rest } = reserved
  return { ...rest, sequence }
}

/** The last give-up in the form in which a send reads it. */
export function gaveUp({ gave_up_at: at }: RelayerRow): { gaveUpAt?: TimestampMs } {
  return at === null ? {} : { gaveUpAt: at }
}

const advanceBy = statement<{ id: RelayerId; count: number }, RelayerRow>((db, p, dialect) =>
  db
    .updateTable('relayers')
    .set({ last_sequence: sql<number>`${lastSequence(dialect)} + ${p.count}` })
    .where('id', '=', p.id)
    .returningAll(),
)

export async function reserveSequences(
  executor: Executor,
  id: RelayerId,
  count: number,
): Promise<{ relayer: Relayer; first: number; gaveUpAt?: TimestampMs } | undefined> {
  const [, row] = await Promise.all([executor.all(locked, { id }), first(executor, advanceBy, { id, count })])
  return row && { relayer: relayerFromRow(row), first: row.last_sequence - count + 1, ...gaveUp(row) }
}

// A mark that an earlier owner left stays: transactions sent since then may be newer than a restore.
const raiseEpoch = statement<{ id: RelayerId }, { epoch: number }>((db, p, dialect) =>
  db
    .updateTable('relayers')
    .set({
      epoch: sql<number>`epoch + 1`,
      unchecked_through: sql<number>`COALESCE(unchecked_through, ${lastSequence(dialect)})`,
    })
    .where('id', '=', p.id)
    .returning('epoch'),
)

export async function acquireRelayer(executor: Executor, id: RelayerId): Promise<bigint | undefined> {
  const [, row] = await Promise.all([executor.all(locked, { id }), first(executor, raiseEpoch, { id })])
  return row && BigInt(row.epoch)
}

// The lock keeps an owner's unit and the next owner's acquire apart; SQLite's write lock does the same. FOR SHARE would
// suffice for that, but two units that share the row and then reserve a sequence would deadlock.
const sameEpoch = statement<{ id: RelayerId; epoch: number }, { id: RelayerId }>((db, p, dialect) =>
  db
    .selectFrom('relayers')
    .select('id')
    .where('id', '=', p.id)
    .where('epoch', '=', p.epoch)
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

export async function fenceRelayer(executor: Executor, id: RelayerId, epoch: bigint): Promise<void> {
  if (await first(executor, sameEpoch, { id, epoch: Number(epoch) })) return
  throw new OwnershipLost(`epoch ${epoch} of relayer ${id} is over: it has another owner`)
}

const raise = statement<{ id: RelayerId; spent: number; explained: number }>((db, p) =>
  db
    .updateTable('relayers')
    .set({
      spent_below: sql<number>`CASE WHEN spent_below < ${p.spent} THEN ${p.spent} ELSE spent_below END`,
      explained_below: sql<number>`CASE WHEN explained_below < ${p.explained} THEN ${p.explained} ELSE explained_below END`,
    })
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('spent_below', '<', p.spent), eb('explained_below', '<', p.explained)])),
)

const clearMark = statement<{ id: RelayerId }>((db, p) =>
  db
    .updateTable('relayers')
    .set({ unchecked_through: null })
    .where('id', '=', p.id)
    .where('unchecked_through', 'is not', null),
)

/** The record explains every nonce that the chain and the pools show. */
export async function completeHistoryCheck(executor: Executor, id: RelayerId): Promise<void> {
  await executor.all(clearMark, { id })
}

/** Neither value ever falls. */
export async function raiseFloor(executor: Executor, id: RelayerId, floor: NonceFloor): Promise<void> {
  await executor.all(raise, { id, spent: floor.spentBelow, explained: floor.explainedBelow })
}

const byAccount = statement<{ chainId: number; address: Address }, RelayerRow>((db, p) =>
  db.selectFrom('relayers').selectAll().where('chain_id', '=', p.chainId).where('address', '=', p.address),
)

export async function findRelayerOf(
  executor: Executor,
  chainId: number,
  address: Address,
): Promise<Relayer | undefined> {
  const row = await first(executor, byAccount, { chainId, address })
  return row && relayerFromRow(row)
}

const bySigner = statement<{ id: string }, { id: RelayerId }>((db, p) =>
  db.selectFrom('relayers').select('id').where('signer_id', '=', p.id).orderBy('id').limit(usersMax),
)
const byNotification = statement<{ id: string }, { id: RelayerId }>((db, p) =>
  db.selectFrom('relayers').select('id').where('notification_id', '=', p.id).orderBy('id').limit(usersMax),
)
/** Enough names for a refusal. */
const usersMax = 10

export async function relayersUsing(
  executor: Executor,
  kind: 'signer' | 'notification',
  id: string,
): Promise<readonly RelayerId[]> {
  const rows = await executor.all(kind === 'signer' ? bySigner : byNotification, { id })
  return rows.map(({ id }) => id)
}
