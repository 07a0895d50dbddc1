// The figures of each five minutes: of relayers, and of the calls to networks' nodes. It has landed, and is never edited.

export const ofFigures = [
  {
    name: '052-figures',
    statements: [
      `CREATE TABLE figures (
        relayer_id TEXT NOT NULL, at BIGINT NOT NULL, sent BIGINT NOT NULL, confirmed BIGINT NOT NULL, failed BIGINT NOT NULL,
        canceled BIGINT NOT NULL, expired BIGINT NOT NULL, delay_ms BIGINT NOT NULL, delay_1 BIGINT NOT NULL,
        delay_2 BIGINT NOT NULL, delay_5 BIGINT NOT NULL, delay_15 BIGINT NOT NULL, delay_30 BIGINT NOT NULL,
        delay_60 BIGINT NOT NULL, delay_120 BIGINT NOT NULL, delay_300 BIGINT NOT NULL, delay_900 BIGINT NOT NULL,
        delay_3600 BIGINT NOT NULL, delay_longer BIGINT NOT NULL, spent BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        unpriced BIGINT NOT NULL, gas BIGINT NOT NULL, gwei BIGINT NOT NULL, wei BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, at)
      )`,
      // For the removal of old ones, and for the sums of all relayers. No change of a row writes it.
      'CREATE INDEX figures_at ON figures (at)',
      `CREATE TABLE node_calls (
        network TEXT NOT NULL, at BIGINT NOT NULL, calls BIGINT NOT NULL, failed BIGINT NOT NULL, PRIMARY KEY (at, network)
      )`,
    ],
  },
]
