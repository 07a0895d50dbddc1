// The facts of a wait, beside its text. It has landed, and is never edited.

export const ofWaitFacts = [
  {
    name: '034-wait-facts',
    // Null also in earlier rows, until their waits change.
    statements: [
      'ALTER TABLE transactions ADD COLUMN wait_facts TEXT',
      'ALTER TABLE transactions ADD COLUMN wait_since BIGINT',
    ],
  },
]
