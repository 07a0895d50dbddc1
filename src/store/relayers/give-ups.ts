// The payloads that every node refused. They are counted from rows, so that the limit survives a restart and another owner.
import { giveUpsWindowMs } from '../../domain/give-up.ts'
import type { ApiKeyId, RelayerId } from '../../domain/ids.ts'
import { insertionOnce } from '../insert-rows.ts'
import type { RelayerChanges } from '../relayer-port.ts'
import { type Executor, first, statement } from '../statement.ts'

const insert = insertionOnce('give_ups', ['relayer_id', 'key_id', 'given_up_at', 'transaction_id'])
const mark = statement<{ id: RelayerId; now: number }>((db, p) =>
  db.updateTable('relayers').set({ gave_up_at: p.now }).where('id', '=', p.id),
)
const forgetOld = statement<{ relayerId: RelayerId; before: number }>((db, p) =>
  db.deleteFrom('give_ups').where('relayer_id', '=', p.relayerId).where('given_up_at', '<', p.before),
)

const since = statement<{ relayerId: RelayerId; keyId: ApiKeyId; since: number }, { total: number }>((db, p) =>
  db
    .selectFrom('give_ups')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('relayer_id', '=', p.relayerId)
    .where('key_id', '=', p.keyId)
    .where('given_up_at', '>', p.since),
)

export function giveUpChanges(executor: Executor): Pick<RelayerChanges, 'recordGiveUp' | 'giveUps'> {
  return {
    async recordGiveUp(relayerId, { keyId, transactionId }, now) {
      await executor.all(forgetOld, { relayerId, before: now - giveUpsWindowMs })
      const row = { relayer_id: relayerId, key_id: keyId, given_up_at: now, transaction_id: transactionId }
      await executor.all(insert, row)
      await executor.all(mark, { id: relayerId, now })
    },
    giveUps: async (relayerId, keyId, now) =>
      (await first(executor, since, { relayerId, keyId, since: now - giveUpsWindowMs }))?.total ?? 0,
  }
}
