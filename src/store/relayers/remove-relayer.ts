// Removes a relayer's row. Its transactions stay, and so do its last sequence and epoch, for a later relayer of this id.
import { sql } from 'kysely'
import type { NetworkName, RelayerId } from '../../domain/ids.ts'
import type { Nonce, TimestampMs } from '../../domain/units.ts'
import { upsert } from '../insert-rows.ts'
import { inQueue, onHold } from '../open-rows.ts'
import type { Flag, RelayerTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import { newestSequence } from './last-sequence.ts'

const remove = statement<{ id: RelayerId }, RelayerTable>((db, p) =>
  db.deleteFrom('relayers').where('id', '=', p.id).returningAll(),
)
const keep = upsert(
  'former_relayers',
  ['id'],
  ['chain_id', 'address', 'epoch', 'last_sequence', 'spent_below', 'deleted_at'],
)

/** The rows of other tables that are removed with the relayer. */
const removals = (
  [
    ...(['presigned_no_ops', 'released_nonces', 'gap_fills', 'gap_permits'] as const),
    ...(['give_ups', 'foreign_looks', 'foreign_uses'] as const),
  ] as const
).map((table) => statement<{ id: RelayerId }>((db, p) => db.deleteFrom(table).where('relayer_id', '=', p.id)))

interface RemovedRelayer {
  readonly id: RelayerId
  readonly network: NetworkName
  readonly notificationId: string | null
}

/** Call it before `hasOpen`: it waits for sends under way, and later sends find no relayer. Undefined if there is none. */
export async function removeRelayer(
  executor: Executor,
  id: RelayerId,
  now: TimestampMs,
): Promise<RemovedRelayer | undefined> {
  const row = await first(executor, remove, { id })
  if (!row) return undefined
  for (const removal of removals) await executor.all(removal, { id })
  const { chain_id, address, epoch, spent_below, network, notification_id: notificationId } = row
  const last_sequence = Math.max(row.last_sequence, await newestSequence(executor, id))
  await executor.all(keep, { id, chain_id, address, epoch, last_sequence, spent_below, deleted_at: now })
  return { id, network, notificationId }
}

const former = statement<{ id: RelayerId }, { id: RelayerId }>((db, p) =>
  db.selectFrom('former_relayers').select('id').where('id', '=', p.id),
)

export async function isFormer(executor: Executor, id: RelayerId): Promise<boolean> {
  return (await first(executor, former, { id })) !== undefined
}

const formerFloor = statement<{ id: RelayerId }, { spent_below: number }>((db, p) =>
  db.selectFrom('former_relayers').select('spent_below').where('id', '=', p.id),
)

/** Every nonce below was spent, and explained, when the relayer was deleted. Undefined: it was not deleted. */
export async function findFormerFloor(executor: Executor, id: RelayerId): Promise<Nonce | undefined> {
  return (await first(executor, formerFloor, { id }))?.spent_below
}

const open = statement<{ relayerId: RelayerId }, { exists: Flag }>((db, p) => {
  const among = (which: typeof inQueue) =>
    db.selectFrom('transactions').select('id').where('relayer_id', '=', p.relayerId).where(which)
  const [bound, queued, held] = [among(sql`open = 1 AND nonce IS NOT NULL`), among(inQueue), among(onHold)]
  return db.selectNoFrom(
    sql<Flag>`CASE WHEN EXISTS ${bound} OR EXISTS ${queued} OR EXISTS ${held} THEN 1 ELSE 0 END`.as('exists'),
  )
})

/** Whether any of its transactions is open. */
export async function hasOpen(executor: Executor, relayerId: RelayerId): Promise<boolean> {
  return (await first(executor, open, { relayerId }))?.exists === 1
}
