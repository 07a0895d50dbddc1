// The tables of API keys, of the dashboard's sessions, and of what was done with them: the audit log.
import { numbered, type Sql } from './migration.ts'

export const ofAccess: readonly Sql[] = [
  // A revoked key keeps its row: the audit log names it, and its later use is distinguished from an unknown key.
  `CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, hint TEXT NOT NULL, scopes TEXT NOT NULL,
    relayers TEXT, created_at BIGINT NOT NULL, created_by TEXT NOT NULL, expires_at BIGINT,
    revoked_at BIGINT, revoked_by TEXT, last_used_at BIGINT
  )`,
  'CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest)',
  `CREATE TABLE dashboard_sessions (
    digest TEXT PRIMARY KEY, key_id TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL
  )`,
  'CREATE INDEX dashboard_sessions_key ON dashboard_sessions (key_id, used_at)',

  // Its ids keep rising only while the newest row stays, so pruning leaves it.
  numbered(
    (id) =>
      `CREATE TABLE audit_log (${id}, share TEXT NOT NULL, last_at BIGINT NOT NULL, count BIGINT NOT NULL, entries TEXT NOT NULL)`,
  ),
  'CREATE INDEX audit_log_share ON audit_log (share, id, count)',

  // The numbers of audit records. SQLite reads on the thread that answers requests, and a sum over a million rows takes 80 ms. On
  // PostgreSQL one row for all commits would make them wait for each other, and the sum holds up no request.
  { sqlite: 'CREATE TABLE audit_count (share TEXT PRIMARY KEY, count BIGINT NOT NULL)' },
  {
    sqlite: `CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log BEGIN
      INSERT INTO audit_count (share, count) VALUES (NEW.share, NEW.count)
      ON CONFLICT (share) DO UPDATE SET count = count + NEW.count; END`,
  },
  {
    sqlite:
      'CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log BEGIN UPDATE audit_count SET count = count - OLD.count WHERE share = OLD.share; END',
  },
]
