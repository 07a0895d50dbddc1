// The anchors of networks. It has landed, and is never edited.

export const ofAnchors = [
  {
    name: '036-anchors',
    // By the chain id as well: a name may stand for another chain later.
    statements: [
      `CREATE TABLE anchors (network TEXT NOT NULL, chain_id BIGINT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
        mined_at BIGINT NOT NULL, recorded_at BIGINT NOT NULL, PRIMARY KEY (network, chain_id))`,
    ],
  },
]
