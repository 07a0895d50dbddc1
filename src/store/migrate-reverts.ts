// What reverted transactions returned, a row each. It has landed, and is never edited.

export const ofReverts = [
  {
    name: '045-reverts',
    // Apart from the transactions, whose rows each step reads whole.
    statements: ['CREATE TABLE reverts (transaction_id TEXT PRIMARY KEY, revert TEXT NOT NULL)'],
  },
]
