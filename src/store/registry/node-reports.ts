// What each replica sees of its nodes, a row a replica.
import type { TimestampMs } from '../../domain/units.ts'
import type { NodeReportTable } from '../access-tables.ts'
import { upsert } from '../insert-rows.ts'
import type { NetworkChanges, NetworkReads } from '../network-port.ts'
import { type Executor, statement } from '../statement.ts'
import { fromJson, toJson } from '../values.ts'

const put = upsert('node_reports', ['replica'], ['read_at', 'networks'])

const all = statement<Record<never, never>, NodeReportTable>((db) =>
  db.selectFrom('node_reports').select(['replica', 'read_at', 'networks']).orderBy('replica'),
)

const remove = statement<{ replica: string }>((db, p) => db.deleteFrom('node_reports').where('replica', '=', p.replica))

const prune = statement<{ before: TimestampMs }>((db, p) =>
  db.deleteFrom('node_reports').where('read_at', '<', p.before),
)

export function nodeReportReads(executor: Executor): Pick<NetworkReads, 'nodeReports'> {
  return {
    async nodeReports() {
      const rows = await executor.all(all, {})
      return rows.map(({ replica, read_at: readAt, networks }) => ({ replica, readAt, networks: fromJson(networks) }))
    },
  }
}

export function nodeReportChanges(
  executor: Executor,
): Pick<NetworkChanges, 'recordNodes' | 'removeNodes' | 'pruneNodes'> {
  return {
    async recordNodes({ replica, readAt, networks }) {
      await executor.all(put, { replica, read_at: readAt, networks: toJson(networks) })
    },
    async removeNodes(replica) {
      await executor.all(remove, { replica })
    },
    async pruneNodes(before) {
      await executor.all(prune, { before })
    },
  }
}
