// The tables of the dashboard: its sessions, and the gas that relayers paid on each day.

export const ofDashboard = [
  {
    name: '020-dashboard-sessions',
    statements: [
      'CREATE TABLE dashboard_sessions (digest TEXT PRIMARY KEY, key_id TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL)',
      'CREATE INDEX dashboard_sessions_key ON dashboard_sessions (key_id, used_at)',
    ],
  },
  {
    name: '021-daily-gas',
    statements: [
      `CREATE TABLE daily_gas (
        relayer_id TEXT NOT NULL, day BIGINT NOT NULL, transactions BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        unpriced BIGINT NOT NULL, gwei BIGINT NOT NULL, wei BIGINT NOT NULL, PRIMARY KEY (relayer_id, day)
      )`,
      'CREATE INDEX daily_gas_day ON daily_gas (day, relayer_id)',
    ],
  },
]
