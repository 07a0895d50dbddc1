// What cancellations keep besides their transactions.

export const ofCancellations = [
  // The no-ops that are signed before a cancellation. They stay until their nonce is final.
  {
    name: '022-presigned-no-ops',
    statements: [
      // `sealed` is null until the hash is durable.
      `CREATE TABLE presigned_no_ops (
        relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, hash TEXT NOT NULL, gas_limit BIGINT NOT NULL,
        gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT, sealed TEXT, signed_at BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, nonce, hash)
      )`,
      'ALTER TABLE attempts ADD COLUMN presigned INTEGER NOT NULL DEFAULT 0',
    ],
  },
  {
    name: '023-bulk-cancellations',
    statements: [
      'CREATE TABLE bulk_cancellations (relayer_id TEXT PRIMARY KEY, through BIGINT NOT NULL, requested_at BIGINT NOT NULL)',
    ],
  },
]

export const ofBulkCounts = [
  {
    name: '026-bulk-counts',
    statements: [
      'ALTER TABLE bulk_cancellations ADD COLUMN unwritten BIGINT NOT NULL DEFAULT 0',
      // A process may have died between two shares.
      `UPDATE bulk_cancellations SET unwritten = (
        SELECT COUNT(*) FROM transactions WHERE transactions.relayer_id = bulk_cancellations.relayer_id
          AND transactions.status = 'pending' AND transactions.sequence <= bulk_cancellations.through)`,
    ],
  },
]
