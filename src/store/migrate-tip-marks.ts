// The tips that were believed on a network within a day. It has landed, and is never edited.

export const ofTipMarks = [
  {
    name: '035-tip-marks',
    // By the chain id as well: a name may stand for another chain later.
    statements: [
      `CREATE TABLE tip_marks (network TEXT NOT NULL, chain_id BIGINT NOT NULL, marked_at BIGINT NOT NULL, tip TEXT NOT NULL,
        PRIMARY KEY (network, chain_id, marked_at))`,
    ],
  },
]
