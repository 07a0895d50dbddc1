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
      {
        postgres: `CREATE FUNCTION record_uncounted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
          BEGIN
            INSERT INTO uncounted_relayers AS known (relayer_id, changes) VALUES (NEW.relayer_id, 1)
              ON CONFLICT (relayer_id) DO UPDATE SET changes = known.changes + 1;
            RETURN NULL;
          END $$`,
      },
      // Sessions of this version and later ones say that they count (postgres/connect.ts).
      {
        postgres: `CREATE TRIGGER tallies_uncounted AFTER INSERT OR UPDATE ON tallies FOR EACH ROW
          WHEN (current_setting('rescind.counts_buckets', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION record_uncounted()`,
      },
      // Last: the trigger's creation waits for whoever is changing a tally. Counted in the background, by
      // src/retention/count-buckets.ts.
      {
        postgres: `INSERT INTO uncounted_relayers (relayer_id, changes) SELECT DISTINCT relayer_id, 1 FROM tallies
          ON CONFLICT (relayer_id) DO NOTHING`,
      },
    ],
  },
]
