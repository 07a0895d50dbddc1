// The time at which a delivery is given up. It has landed, and is never edited.

export const ofDeadlines = [
  {
    name: '030-delivery-deadlines',
    statements: [
      // Null for dead letters, and for deliveries that an earlier version took over until give-up.ts dates them.
      'ALTER TABLE deliveries ADD COLUMN gives_up_at BIGINT',
      `CREATE INDEX deliveries_deadline ON deliveries (notification_id, gives_up_at) WHERE state = 'waiting'`,
    ],
  },
]
