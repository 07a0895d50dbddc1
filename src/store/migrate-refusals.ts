// What an attempt's row keeps of the answers before the last one. It has landed, and is never edited.

export const ofRefusals = [
  {
    name: '032-refusals',
    // Null also in earlier rows: their last answer stands for all of them.
    statements: ['taken_at', 'refused_since'].map((column) => `ALTER TABLE attempts ADD COLUMN ${column} BIGINT`),
  },
]
