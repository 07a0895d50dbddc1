// Sessions of the dashboard, by the digest of their token.
import type { Selectable } from 'kysely'
import type { DashboardSession } from '../../domain/dashboard-session.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { DashboardSessionTable } from '../access-tables.ts'
import type { DashboardChanges } from '../dashboard-port.ts'
import { insertion } from '../insert-rows.ts'
import { type Executor, first, statement } from '../statement.ts'

type SessionRow = Selectable<DashboardSessionTable>

const byDigest = statement<{ digest: string }, SessionRow>((db, p) =>
  db.selectFrom('dashboard_sessions').selectAll().where('digest', '=', p.digest),
)

export async function findDashboardSession(executor: Executor, digest: string): Promise<DashboardSession | undefined> {
  const row = await first(executor, byDigest, { digest })
  return row && { keyId: row.key_id, createdAt: row.created_at, usedAt: row.used_at }
}

const insert = insertion('dashboard_sessions', ['digest', 'key_id', 'created_at', 'used_at'])

const use = statement<{ digest: string; at: number }>((db, p) =>
  db
    .updateTable('dashboard_sessions')
    .set({ used_at: p.at })
    .where('digest', '=', p.digest)
    .where('used_at', '<', p.at),
)

const remove = statement<{ digest: string }>((db, p) =>
  db.deleteFrom('dashboard_sessions').where('digest', '=', p.digest),
)

const removeIdle = statement<{ since: number }>((db, p) =>
  db.deleteFrom('dashboard_sessions').where('used_at', '<', p.since),
)

const ofKey = statement<{ keyId: ApiKeyId; keep: number }, Pick<SessionRow, 'digest'>>((db, p) =>
  db
    .selectFrom('dashboard_sessions')
    .select('digest')
    .where('key_id', '=', p.keyId)
    .orderBy('used_at', 'desc')
    .limit(1_000)
    .offset(p.keep),
)

export function dashboardChanges(executor: Executor): DashboardChanges {
  return {
    async insertDashboardSession({ keyId, createdAt, usedAt }, digest) {
      await executor.all(insert, { digest, key_id: keyId, created_at: createdAt, used_at: usedAt })
    },
    async useDashboardSession(digest, at) {
      await executor.all(use, { digest, at })
    },
    async removeDashboardSession(digest) {
      await executor.all(remove, { digest })
    },
    async pruneDashboardSessions(keyId, since, keep) {
      await executor.all(removeIdle, { since })
      for (const { digest } of await executor.all(ofKey, { keyId, keep })) await executor.all(remove, { digest })
    },
  }
}
