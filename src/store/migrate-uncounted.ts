// The buckets of sequences on PostgreSQL. Replicas of an earlier version may still write transactions there, and count them
// in no bucket: a trigger records their relayers. It has landed, and is never edited.

export const ofUncounted = [
  {
    name: '029-uncounted-relayers',
    statements: [
      // SQLite has it since 027.
      {
        postgres: `CREATE TABLE tally_buckets (relayer_id TEXT NOT NULL, bucket BIGINT NOT NULL, status TEXT NOT NULL,
          count BIGINT NOT NULL, PRIMARY KEY (relayer_id, bucket, status))`,
      },
      'CREATE TABLE uncounted_relayers (relayer_id TEXT PRIMARY KEY, changes BIGINT NOT NULL)',
      // Once in a database transaction: `changes` is the number of the last one.
      {
        postgres: `CREATE FUNCTION record_uncounted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
          DECLARE
            relayer uncounted_relayers.relayer_id%TYPE := COALESCE(NEW.relayer_id, OLD.relayer_id);
            present BIGINT := pg_current_xact_id()::text::bigint;
          BEGIN
            IF NOT EXISTS (SELECT 1 FROM uncounted_relayers WHERE relayer_id = relayer AND changes = present) THEN
              INSERT INTO uncounted_relayers (relayer_id, changes) VALUES (relayer, present)
                ON CONFLICT (relayer_id) DO UPDATE SET changes = excluded.changes;
            END IF;
            RETURN NULL;
          END $$`,
      },
      // Sessions of this version and later ones say that they count (postgres/connect.ts).
      {
        postgres: `CREATE TRIGGER transactions_uncounted AFTER INSERT OR DELETE OR UPDATE OF status, sequence, relayer_id
          ON transactions FOR EACH ROW
          WHEN (current_setting('rescind.counts_buckets', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION record_uncounted()`,
      },
      // Last: the creation of the trigger waits until every open change of a transaction is committed.
      // src/retention/count-buckets.ts then counts in the background.
      {
        postgres: `INSERT INTO uncounted_relayers (relayer_id, changes) SELECT DISTINCT relayer_id, 1 FROM tallies
          ON CONFLICT (relayer_id) DO NOTHING`,
      },
    ],
  },
]
