// The server on which the last event was given out, and the events that failovers lost. It has landed, and is never edited.

export const ofServerIdentity = [
  {
    name: '041-server-identity',
    statements: [
      {
        postgres:
          'CREATE TABLE server_identity (id INTEGER PRIMARY KEY, system_identifier TEXT NOT NULL, timeline BIGINT NOT NULL)',
      },
      // Ids above the first and below the second belong to no event of this server; another one may have given them out.
      { postgres: 'CREATE TABLE lost_events (through_id BIGINT PRIMARY KEY, above_id BIGINT NOT NULL)' },
    ],
  },
]
