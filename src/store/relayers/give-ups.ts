// The payloads that every node refused. They are counted from rows, so that the limit survives a restart and another owner.
import { giveUpsWindowMs } from '../../domain/give-up.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { insertionOnce } from '../insert-rows.ts'
import { type Executor, first, statement } from '../statement.ts'

const insert = insertionOnce('give_ups', ['relayer_id', 'key_id', 'given_up_at', 'transaction_id'])
const mark = statement<{ id: RelayerId; now: number }>((db, p) =>
  db.updateTable('relayers').set({ gave_up_at: p.now }).where('id', '=', p.id),
)
const forgetOld = statement<{ relayerId: RelayerId; before: number }>((db, p) =>
  db.deleteFrom('give_ups').where('relayer_id', '=', p.relayerId).where('given_up_at', '<', p.before),
)

export async function recordGiveUp(
  executor: Executor,
  relayerId: RelayerId,
  { keyId, transactionId }: { readonly keyId: ApiKeyId; readonly transactionId: TransactionId },
  now: TimestampMs,
): Promise<void> {
  await executor.all(forgetOld, { relayerId, before: now - giveUpsWindowMs })
  await executor.all(insert, {
    ...{ relayer_id: relayerId, key_id: keyId, given_up_at: now, transaction_id: transactionId },
  })
  await executor.all(mark, { id: relayerId, now })
}

const since = statement<{ relayerId: RelayerId; keyId: ApiKeyId; since: number }, { total: number }>((db, p) =>
  db
    .selectFrom('give_ups')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('relayer_id', '=', p.relayerId)
    .where('key_id', '=', p.keyId)
    .where('given_up_at', '>', p.since),
)

/** Within the hour before `now`. */
export async function countGiveUps(
  executor: Executor,
  relayerId: RelayerId,
  keyId: ApiKeyId,
  now: TimestampMs,
): Promise<number> {
  return (await first(executor, since, { relayerId, keyId, since: now - giveUpsWindowMs }))?.total ?? 0
}

const removeAll = statement<{ relayerId: RelayerId }>((db, p) =>
  db.deleteFrom('give_ups').where('relayer_id', '=', p.relayerId),
)

export async function removeGiveUps(executor: Executor, relayerId: RelayerId): Promise<void> {
  await executor.all(removeAll, { relayerId })
}
