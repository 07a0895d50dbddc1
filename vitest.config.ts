import { defineConfig } from 'vitest/config'

/** What starts many processes by itself runs alone: a wait that is generous on two idle cores is none on two busy ones. */
const alone = (name: string, place: number) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], maxWorkers: 1, sequence: { groupOrder: place } },
})

/** What asks the store, through whatever stands before it: run on both databases. */
const onPostgres = ['http', 'manage', 'attacks', 'openapi', 'reconcile', 'commands', 'estate', 'e2e'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

const ofSqliteOnly: string[] = [
  // On PostgreSQL as it is.
  'test/e2e/postgres.test.ts',
  'test/e2e/replicas*.test.ts',
  'test/http/database-failures.test.ts',
  // Limits the size of the service's own files.
  'test/e2e/disk-failure.test.ts',
  // A file has one process, by the lock beside it.
  'test/e2e/second-process.test.ts',
]

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: ['test/chaos/**', 'test/sim/**', 'test/demo/**'],
          // Real nodes and real processes share two cores: files run a few at a time.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onPostgres,
          exclude: ofSqliteOnly,
          globalSetup: ['test/support/on-postgres.ts'],
          setupFiles: ['test/support/use-postgres.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      alone('demo', 1),
      alone('chaos', 2),
      alone('sim', 3),
    ],
  },
})
