// What each replica sees of its nodes: a row a replica. It has landed, and is never edited.

export const ofNodeReports = [
  {
    name: '050-node-reports',
    // One row, so that a replica writes all of it with one statement every ten seconds.
    statements: [
      'CREATE TABLE node_reports (replica TEXT PRIMARY KEY, read_at BIGINT NOT NULL, networks TEXT NOT NULL)',
    ],
  },
]
