// A plan is made once a connection, often while the tables are empty: it must be the right one then, too.
import pg from 'pg'
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { openAuditPad } from '../../src/store/audit-log.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { readsOver } from '../../src/store/reads.ts'
import { sessionOver } from '../../src/store/session.ts'
import type { Executor } from '../../src/store/statement.ts'
import { openTallies } from '../../src/store/tallies.ts'
import { now, someAttempt, someRelayer } from '../domain/some.ts'
import { numbers } from '../support/postgres.ts'
import { sendWithin } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'

const server = sharedPostgres()

test('on tables that PostgreSQL knows nothing of, what names a transaction goes by its key', async () => {
  const client = new pg.Client({ connectionString: await (await server()).database(), types: numbers })
  await client.connect()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.end())
  await migrate(client, now)
  const seen: { sql: string; indexes: readonly string[] }[] = []
  const witness: Executor = {
    async all(statement, parameters) {
      const { sql, bind } = statement.compiled('postgres')
      const values = [...bind(parameters)]
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
      const used = plan.map((line) => / using (transactions_\w+) on transactions/.exec(line['QUERY PLAN'])?.[1])
      seen.push({ sql, indexes: used.flatMap((index) => index ?? []) })
      return (await client.query(sql, values)).rows
    },
  }
  const session = sessionOver(witness, openTallies(witness), openAuditPad(witness))
  const reads = readsOver(witness)
  const relayer = someRelayer()
  await session.saveRelayer(relayer)
  const sent = await sendWithin(session, relayer.id)
  await session.transaction(relayer.id, sent.id)
  await reads.transaction(relayer.id, sent.id)
  const attempts = [someAttempt(1, { transactionId: sent.id })] as const
  const bound = { ...sent, lifecycle: { phase: 'inFlight', nonce: 1, attempts } as const }
  const saved = await session.saveTransaction(sent, bound, now)
  await session.saveTransaction(saved, cancel(saved, now), now)
  const queued = await sendWithin(session, relayer.id)
  await session.saveTransaction(queued, cancel(queued, now), now)

  const named = seen.filter(({ sql }) => /"transactions".* where "id" = \$/.test(sql))
  expect(named.length).toBeGreaterThan(4)
  for (const { sql, indexes } of named) expect({ sql, indexes }).toEqual({ sql, indexes: ['transactions_pkey'] })
})
