// Previews of bulk cancellations. It has landed, and is never edited.

export const ofBulkPreviews = [
  {
    name: '059-bulk-previews',
    statements: [
      // `id`: the digest of the token.
      `CREATE TABLE bulk_previews (
        id TEXT PRIMARY KEY, key_id TEXT NOT NULL, digest TEXT NOT NULL, expires_at BIGINT NOT NULL, used_by TEXT
      )`,
      'CREATE INDEX bulk_previews_unused ON bulk_previews (key_id, expires_at, id) WHERE used_by IS NULL',
      'CREATE INDEX bulk_previews_used ON bulk_previews (used_by) WHERE used_by IS NOT NULL',
      'CREATE INDEX bulk_previews_expiring ON bulk_previews (expires_at) WHERE used_by IS NULL',
      `CREATE TABLE bulk_preview_parts (
        preview_id TEXT NOT NULL, relayer_id TEXT NOT NULL, shown TEXT NOT NULL, matches BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        cost TEXT, cost_max TEXT, PRIMARY KEY (preview_id, relayer_id)
      )`,
      'ALTER TABLE bulks ADD COLUMN preview_id TEXT',
    ],
  },
]
