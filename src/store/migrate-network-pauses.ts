// The pauses of whole networks, and their copy in the rows of relayers. It has landed, and is never edited.

export const ofNetworkPauses = [
  {
    name: '051-network-pauses',
    statements: [
      'CREATE TABLE network_pauses (network TEXT PRIMARY KEY, pause TEXT NOT NULL)',
      // In the row that each send and each step of an owner locks: no statement more, and no commit beside the pause.
      'ALTER TABLE relayers ADD COLUMN network_paused INTEGER NOT NULL DEFAULT 0',
    ],
  },
]
