// What PostgreSQL's own errors come to for the requester.
import { expect, test } from 'vitest'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { isConnectionLost, translateError } from '../../src/store/postgres/failure.ts'
import { sharedPostgres } from './open-postgres.ts'

const server = sharedPostgres()

test.each([
  ['53100', 'has a full disk'],
  ['53300', 'has no connection left for this service'],
  ['25006', 'is read-only'],
  ['55P03', 'did not answer in time'],
  // transaction_timeout, since PostgreSQL 17.
  ['25P04', 'did not answer in time'],
  ['57P03', 'is starting or stopping'],
  ['28P01', 'refuses the user of DATABASE_URL'],
])('%s: the database %s', async (code, why) => {
  const pool = openPool(secretUrl(new URL(await (await server()).database())), { max: 1, onIdleError: () => undefined })
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'words of the server' USING ERRCODE = '${code}'; END $$`
  const failure = await pool.query(raise).catch((error: unknown) => error)
  await pool.end()
  expect(translateError(failure)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: `the database ${why}: nothing of this is stored`,
  })
})

test.each(['25P03', '25P04', '57P01', '08006', 'ECONNRESET'])('%s ends the connection', (code) => {
  expect(isConnectionLost(Object.assign(new Error('words'), { code }))).toBe(true)
})
