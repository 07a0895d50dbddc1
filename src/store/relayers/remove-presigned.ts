// Deletes the pre-signed no-ops of a relayer that may not use them any more, and what the record says of the nonces of an
// account that is no longer its own.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { type Executor, statement } from '../statement.ts'

const removeAll = statement<{ relayerId: RelayerId }>((db, p) =>
  db.deleteFrom('presigned_no_ops').where('relayer_id', '=', p.relayerId),
)

export async function removeAllPresigned(executor: Executor, relayerId: RelayerId): Promise<void> {
  await executor.all(removeAll, { relayerId })
}

const ofOtherAccount = (['presigned_no_ops', 'released_nonces', 'foreign_looks', 'foreign_uses'] as const).map(
  (table) =>
    statement<{ relayerId: RelayerId; chainId: number; address: string }>((db, p) =>
      db
        .deleteFrom(table)
        .where('relayer_id', '=', p.relayerId)
        .where(
          sql<boolean>`NOT EXISTS (SELECT 1 FROM relayers WHERE id = ${p.relayerId} AND chain_id = ${p.chainId} AND address = ${p.address})`,
        ),
    ),
)

/** Call it before the relayer's row is written: with another account, its nonces are another sequence. */
export async function removeOfOtherAccount(
  executor: Executor,
  { id: relayerId, chainId, address }: Relayer,
): Promise<void> {
  for (const remove of ofOtherAccount) await executor.all(remove, { relayerId, chainId, address })
}
