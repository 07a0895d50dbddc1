// The number of audit records. SQLite reads on the thread that answers requests, and a sum over a million rows takes 80 ms.

export const ofAuditCount = [
  {
    name: '028-audit-count',
    // On PostgreSQL one row for all commits would make them wait for each other, and the sum holds up no request.
    statements: [
      { sqlite: 'CREATE TABLE audit_count (id INTEGER PRIMARY KEY, count BIGINT NOT NULL)' },
      { sqlite: 'INSERT INTO audit_count (id, count) SELECT 1, COALESCE(SUM(count), 0) FROM audit_log' },
      {
        sqlite:
          'CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log BEGIN UPDATE audit_count SET count = count + NEW.count WHERE id = 1; END',
      },
      {
        sqlite:
          'CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log BEGIN UPDATE audit_count SET count = count - OLD.count WHERE id = 1; END',
      },
    ],
  },
]
