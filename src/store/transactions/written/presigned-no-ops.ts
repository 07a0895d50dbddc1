// No-ops that are signed before a cancellation: first the hash is stored, then the sealed bytes. Only rows with bytes
// are usable.
import type { Selectable } from 'kysely'
import type { Hash, RelayerId } from '../../../domain/ids.ts'
import type { PresignedNoOp } from '../../../domain/no-op.ts'
import type { Nonce } from '../../../domain/units.ts'
import type { PresignedNoOpTable } from '../../access-tables.ts'
import { insertionOnce } from '../../insert-rows.ts'
import type { RelayerChanges, SealedNoOp } from '../../relayer-port.ts'
import { type Executor, statement } from '../../statement.ts'
import { feesFromRow, feesToRow } from '../rows/attempt-row.ts'

type Row = Selectable<PresignedNoOpTable>

// A key that signs alike twice makes the same bytes.
const insert = insertionOnce(
  'presigned_no_ops',
  ['relayer_id', 'nonce', 'hash'],
  ['gas_limit', 'gas_price', 'max_fee_per_gas', 'max_priority_fee_per_gas', 'signed_at'],
)

interface Key {
  readonly relayerId: RelayerId
  readonly nonce: Nonce
  readonly hash: Hash
}

const seal = statement<Key & { sealed: string }>((db, p) =>
  db
    .updateTable('presigned_no_ops')
    .set({ sealed: p.sealed })
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '=', p.nonce)
    .where('hash', '=', p.hash),
)

const list = statement<{ relayerId: RelayerId }, Row>((db, p) =>
  db
    .selectFrom('presigned_no_ops')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .where('sealed', 'is not', null)
    .orderBy('nonce'),
)

export async function listPresigned(executor: Executor, relayerId: RelayerId): Promise<readonly PresignedNoOp[]> {
  const rows = await executor.all(list, { relayerId })
  return rows.map((row) => ({
    hash: row.hash,
    nonce: row.nonce,
    fees: feesFromRow(row),
    gasLimit: row.gas_limit,
    sealed: row.sealed ?? '',
  }))
}

const all = statement<object, Row>((db) =>
  db.selectFrom('presigned_no_ops').selectAll().where('sealed', 'is not', null),
)

export async function listAllPresigned(executor: Executor): Promise<readonly SealedNoOp[]> {
  const rows = await executor.all(all, {})
  return rows.map(({ relayer_id: relayerId, nonce, hash, sealed }) => ({
    ...{ relayerId, nonce, hash, sealed: sealed ?? '' },
  }))
}

const remove = statement<Key>((db, p) =>
  db
    .deleteFrom('presigned_no_ops')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '=', p.nonce)
    .where('hash', '=', p.hash),
)

const removeFinal = statement<{ relayerId: RelayerId }>((db, p) =>
  db
    .deleteFrom('presigned_no_ops')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '<', db.selectFrom('relayers').select('spent_below').where('id', '=', p.relayerId)),
)

type PresignedChanges = Pick<RelayerChanges, 'recordPresigned' | 'sealPresigned' | 'removePresigned' | 'prunePresigned'>

export function presignedChanges(executor: Executor): PresignedChanges {
  return {
    async recordPresigned(relayerId, { hash, nonce, fees, gasLimit, signedAt }) {
      const row = { relayer_id: relayerId, nonce, hash, gas_limit: gasLimit, ...feesToRow(fees), signed_at: signedAt }
      await executor.all(insert, row)
    },
    async sealPresigned(noOp) {
      await executor.all(seal, noOp)
    },
    async removePresigned(relayerId, { nonce, hash }) {
      await executor.all(remove, { relayerId, nonce, hash })
    },
    async prunePresigned(relayerId) {
      await executor.all(removeFinal, { relayerId })
    },
  }
}
