// The indexes of filtered lists: by receiver and time, and by time. It has landed, and is never edited.

export const ofLists = [
  {
    name: '053-lists',
    statements: [
      'CREATE INDEX transactions_created ON transactions (relayer_id, created_at, sequence)',
      'CREATE INDEX transactions_receiver ON transactions (relayer_id, to_address, created_at, sequence)',
    ],
  },
]
