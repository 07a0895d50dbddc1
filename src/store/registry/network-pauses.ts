// The pauses of whole networks: a row each, and a copy in the row of each relayer.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { NetworkPause } from '../../domain/pause.ts'
import type { NetworkPauseTable } from '../access-tables.ts'
import { upsert } from '../insert-rows.ts'
import type { Flag } from '../schema.ts'
import { type Executor, statement } from '../statement.ts'
import { fromJson, toJson } from '../values.ts'

const all = statement<object, NetworkPauseTable>((db) => db.selectFrom('network_pauses').selectAll())

export async function readNetworkPauses(executor: Executor): Promise<ReadonlyMap<string, NetworkPause>> {
  const rows = await executor.all(all, {})
  return new Map(rows.map(({ network, pause }) => [network, fromJson(pause)]))
}

const put = upsert('network_pauses', ['network'], ['pause'])

const remove = statement<{ network: string }>((db, p) =>
  db.deleteFrom('network_pauses').where('network', '=', p.network),
)

const copy = statement<{ network: string; paused: Flag }, { id: RelayerId }>((db, p) =>
  db
    .updateTable('relayers')
    .set({ network_paused: p.paused })
    .where(sql<boolean>`network = ${p.network}`)
    .where('network_paused', '<>', p.paused)
    .returning('id'),
)

/** The update waits for the unit of each relayer that is under way: what binds a nonce has committed before, or sees the mark. */
export async function markNetwork(
  executor: Executor,
  network: string,
  pause: NetworkPause | undefined,
): Promise<readonly RelayerId[]> {
  if (pause) await executor.all(put, { network, pause: toJson(pause) })
  else await executor.all(remove, { network })
  const changed = await executor.all(copy, { network, paused: pause ? 1 : 0 })
  return changed.map(({ id }) => id)
}
