// The table of events as it was when the last id was given out: a dump that is put back makes another table. It has landed, and is
// never edited.

export const ofRestored = [
  {
    name: '046-restored',
    // Null: the server of an earlier version, which did not read it.
    statements: [{ postgres: 'ALTER TABLE server_identity ADD COLUMN outbox_oid BIGINT' }],
  },
]
