// The counts of transactions by buckets of sequences. It has landed, and is never edited.

export const ofTallyBuckets = [
  {
    name: '027-tally-buckets',
    statements: [
      // Without a second tree for the key: most commits write a row of it.
      {
        sqlite: `CREATE TABLE tally_buckets (relayer_id TEXT NOT NULL, bucket BIGINT NOT NULL, status TEXT NOT NULL,
          count BIGINT NOT NULL, PRIMARY KEY (relayer_id, bucket, status)) WITHOUT ROWID`,
      },
      // The number is bucketSize of transactions/tally-buckets.ts.
      {
        sqlite: `INSERT INTO tally_buckets (relayer_id, bucket, status, count)
          SELECT relayer_id, sequence / 16384, status, COUNT(*) FROM transactions GROUP BY relayer_id, sequence / 16384, status`,
      },
    ],
  },
]
