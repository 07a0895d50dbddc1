// The anchors of networks, one row each.
import { sql } from 'kysely'
import type { Anchor } from '../../domain/anchor.ts'
import type { Hash } from '../../domain/ids.ts'
import type { AnchorTable } from '../access-tables.ts'
import { insertionOnce } from '../insert-rows.ts'
import type { NetworkChanges, NetworkKey } from '../network-port.ts'
import { type Executor, first, statement } from '../statement.ts'

type Of = { network: string; chainId: number }

const anchorOf = statement<Of, AnchorTable>((db, p) =>
  db.selectFrom('anchors').selectAll().where('network', '=', p.network).where('chain_id', '=', p.chainId),
)

export async function readAnchor(executor: Executor, { name, chainId }: NetworkKey): Promise<Anchor | undefined> {
  const row = await first(executor, anchorOf, { network: name, chainId })
  return row && { number: row.number, hash: row.hash, minedAt: row.mined_at, recordedAt: row.recorded_at }
}

const insertAnchor = insertionOnce('anchors', ['network', 'chain_id'], ['number', 'hash', 'mined_at', 'recorded_at'])

const moveAnchor = statement<AnchorTable & { before: Hash }>((db, p) =>
  db
    .updateTable('anchors')
    .set({ number: p.number, hash: p.hash, mined_at: p.mined_at, recorded_at: p.recorded_at })
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chain_id)
    .where('hash', '=', p.before),
)

const deleteAnchor = statement<Of>((db, p) =>
  db.deleteFrom('anchors').where('network', '=', p.network).where('chain_id', '=', p.chainId),
)

// Literals, not parameters: otherwise the planner does not match the query with the partial index.
const boundOn = statement<Of, { id: string }>((db, p) =>
  db
    .selectFrom('anchors')
    .innerJoin('relayers', (join) =>
      join.onRef('relayers.network', '=', 'anchors.network').onRef('relayers.chain_id', '=', 'anchors.chain_id'),
    )
    .innerJoin('transactions', 'transactions.relayer_id', 'relayers.id')
    .select('transactions.id')
    .where('anchors.network', '=', p.network)
    .where('anchors.chain_id', '=', p.chainId)
    .where(sql<boolean>`transactions.open = 1 AND transactions.nonce IS NOT NULL`)
    .limit(1),
)

type AnchorChanges = Pick<NetworkChanges, 'anchor' | 'recordAnchor' | 'removeAnchor' | 'hasBoundOn'>

export function anchorChanges(executor: Executor): AnchorChanges {
  return {
    anchor: (network) => readAnchor(executor, network),
    /** In one statement, so that an anchor that another replica replaced or removed meanwhile does not come back. */
    async recordAnchor({ name, chainId }, { number, hash, minedAt, recordedAt }, before) {
      const row = { network: name, chain_id: chainId, number, hash, mined_at: minedAt, recorded_at: recordedAt }
      if (before === undefined) await executor.all(insertAnchor, row)
      else await executor.all(moveAnchor, { ...row, before })
    },
    async removeAnchor({ name, chainId }) {
      await executor.all(deleteAnchor, { network: name, chainId })
    },
    hasBoundOn: async ({ name, chainId }) => (await first(executor, boundOn, { network: name, chainId })) !== undefined,
  }
}
