// Who wrote as an owner, recorded by the database itself: every acquisition and every signature, with the session's user and
// the epoch that stood at that moment. Each replica logs in as a user of its own.
import type { Postgres } from '../../../tooling/postgres.ts'

export interface Entry {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** `acquired`: the epoch was raised. `signed`: an attempt was recorded, which only an owner does. */
  readonly what: 'acquired' | 'signed'
  readonly replica: string
  readonly relayer: string
  readonly epoch: number
  /** Of the signed attempt. */
  readonly hash: string | null
}

const schema = `
  CREATE SCHEMA journal;
  CREATE TABLE journal.entries (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    what TEXT NOT NULL, replica TEXT NOT NULL, relayer TEXT NOT NULL, epoch BIGINT NOT NULL, hash TEXT
  );
  CREATE FUNCTION journal.note_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO journal.entries (what, replica, relayer, epoch) VALUES ('acquired', session_user, NEW.id, NEW.epoch);
    RETURN NULL;
  END $$;
  CREATE FUNCTION journal.note_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO journal.entries (what, replica, relayer, epoch, hash)
      SELECT 'signed', session_user, r.id, r.epoch, NEW.hash
      FROM public.transactions t JOIN public.relayers r ON r.id = t.relayer_id WHERE t.id = NEW.transaction_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER journal AFTER UPDATE OF epoch ON public.relayers
    FOR EACH ROW WHEN (OLD.epoch <> NEW.epoch) EXECUTE FUNCTION journal.note_epoch();
  CREATE TRIGGER journal AFTER INSERT ON public.attempts FOR EACH ROW EXECUTE FUNCTION journal.note_attempt();
  GRANT USAGE ON SCHEMA journal TO PUBLIC;
  GRANT SELECT ON journal.entries TO PUBLIC;
`

/** Once the service has made its tables. */
export async function keepJournal(postgres: Postgres, database: string): Promise<void> {
  await postgres.query(schema, database)
}

export async function readJournal(query: <Row>(sql: string) => Promise<readonly Row[]>): Promise<readonly Entry[]> {
  return query<Entry>(
    `SELECT id, (extract(epoch FROM at) * 1000)::float8 AS at, what, replica, relayer, epoch, hash
     FROM journal.entries ORDER BY id`,
  )
}
