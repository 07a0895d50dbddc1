// The newest sweep of a relayer is found by its origin. It has landed, and is never edited.

export const ofSweeps = [
  {
    name: '049-sweeps',
    // Empty but for the few relayers that were ever swept.
    statements: [`CREATE INDEX transactions_sweeps ON transactions (relayer_id, sequence) WHERE origin = 'sweep'`],
  },
]
