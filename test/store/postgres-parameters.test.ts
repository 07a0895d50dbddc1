// The parameters of DATABASE_URL on a real server: each has its effect, or is refused in words that show no secret.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { parseDatabase } from '../../src/config/environment.ts'
import { openReport } from '../../src/config/report.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool, settingsFor } from '../../src/store/postgres/connect.ts'
import { openDirectSession } from '../../src/store/postgres/direct-session.ts'
import { translateError } from '../../src/store/postgres/failure.ts'
import { openKnownServer } from '../../src/store/postgres/known-server.ts'
import { sharedPostgres } from './open-postgres.ts'

const server = sharedPostgres()
const folder = mkdtempSync(join(tmpdir(), 'rescind-parameters-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hidden = 'S3CRET'
const base = `postgres://u:${hidden}@db.internal/d`

function refusalOf(url: string): OperatorError {
  try {
    settingsFor(secretUrl(new URL(url)), openKnownServer())
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    return error as OperatorError
  }
  throw new Error('it was not refused')
}

async function setting(url: string, name: string): Promise<string> {
  const pool = openPool(secretUrl(new URL(url)), { max: 1, onIdleError: () => undefined })
  try {
    const { rows } = await pool.query<{ value: string }>('SELECT current_setting($1) AS value', [name])
    return rows[0]?.value ?? ''
  } finally {
    await pool.end()
  }
}

test.each([
  ['pgbouncer=true', /the parameter pgbouncer has no effect; take it out/],
  ['target_session_attrs=standby', /target_session_attrs is for another server than the primary/],
  ['target_session_attrs=prefer-standby', /target_session_attrs is for another server/],
  ['connect_timeout=3', /the parameter connect_timeout has no effect/],
  ['host=a.internal,b.internal', /names several hosts; .*name an address that leads to it/],
  ['schema=a,b', /schema must name one schema/],
  ['schema=a&currentSchema=b', /schema and currentSchema mean the same; take one out/],
  ['sslmode=allow', /sslmode is none of disable, /],
  ['sslrootcert=/nowhere/ca.pem', /sslrootcert names a file that can't be read \(ENOENT\): \/nowhere\/ca\.pem/],
  ['sslcert=/nowhere/cert.pem&sslmode=verify-full', /sslcert names a file that can't be read \(ENOENT\)/],
  ['channel_binding=require', /channel_binding=require: the driver can’t insist on it/],
  ['client_encoding=latin1', /client_encoding is always UTF8/],
  ['types=1', /the parameter types has no effect; .* docs\/postgres\.md lists those/],
  [`${hidden}=`, /the parameter has no effect; /],
  ['stream=1', /the parameter stream has no effect/],
  ['sslmode=disable&sslmode=require', /sslmode is given twice/],
  ['password_file=/a&password_command=b', /password_file and password_command are both given/],
  ['password_file=', /password_file or password_command is empty/],
])('%s is refused', (parameters, message) => {
  const refusal = refusalOf(`${base}?${parameters}`)
  expect(refusal.message).toMatch(message)
  expect(refusal.message).toMatch(/^DATABASE_URL: /)
  expect(inspect(refusal)).not.toContain(hidden)
})

test.each([
  ['schema=other', 'search_path', '"other"'],
  ['currentSchema=oth%20er', 'search_path', '"oth er"'],
  ['search_path=oth%22er', 'search_path', '"oth""er"'],
  ['options=-c%20work_mem%3D7MB', 'work_mem', '7MB'],
  ['options=-c%20work_mem%3D7MB&schema=other', 'search_path', '"other"'],
  ['application_name=ours', 'application_name', 'ours'],
  ['fallback_application_name=ours', 'application_name', 'ours'],
  ['target_session_attrs=read-write', 'application_name', 'rescind'],
  // What the service sets wins over what the URL tries to.
  ['options=-c%20statement_timeout%3D0', 'statement_timeout', '30s'],
])('%s has its effect', async (parameters, name, value) => {
  const url = await (await server()).database()
  expect(await setting(`${url}?${parameters}`, name)).toBe(value)
})

test('a URL without a host connects through the socket of its parameter', async () => {
  const url = new URL(await (await server()).database())
  await using opened = new AsyncDisposableStack()
  const door = createServer((socket) => {
    const beyond = connect(Number(url.port), '127.0.0.1')
    for (const each of [socket, beyond]) each.on('error', () => undefined)
    socket.pipe(beyond).pipe(socket)
  })
  opened.defer(() => void door.close())
  door.listen(join(folder, '.s.PGSQL.5432'))
  await once(door, 'listening')
  const given = `postgres://${url.username}:${url.password}@${url.pathname}?application_name=ours&host=${folder}`
  const database = parseDatabase({ DATABASE_URL: given }, '/', openReport())
  if (database.kind !== 'postgres') throw new Error('it is no URL of PostgreSQL')
  expect(await setting(database.url.reveal(), 'application_name')).toBe('ours')
})

test('every mode of TLS keeps its proof', () => {
  const sslOf = (parameters: string) => settingsFor(secretUrl(new URL(`${base}?${parameters}`)), openKnownServer()).ssl
  const root = join(folder, 'ca.pem')
  writeFileSync(root, 'a certificate')
  expect(sslOf('application_name=a')).toBe(undefined)
  expect(sslOf('sslmode=disable')).toBe(false)
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) expect(sslOf(`sslmode=${mode}`)).toEqual({})
  expect(sslOf('sslmode=no-verify')).toEqual({ rejectUnauthorized: false })
  expect(sslOf(`sslmode=verify-full&sslrootcert=${root}`)).toEqual({ ca: 'a certificate' })
  expect(sslOf('sslmode=verify-full&sslrootcert=system')).toEqual({})
  expect(sslOf(`sslrootcert=${root}`)).toEqual({ ca: 'a certificate' })
  expect(sslOf('sslmode=require&uselibpqcompat=true')).toEqual({ rejectUnauthorized: false })
  expect(sslOf(`sslmode=verify-ca&uselibpqcompat=true&sslrootcert=${root}`)).toMatchObject({ ca: 'a certificate' })
  expect(sslOf('sslmode=verify-full&uselibpqcompat=true')).toEqual({})
  expect(sslOf('ssl=true')).toBe(true)
})

test('a file yields the password at each connect', async () => {
  const postgres = await server()
  const url = new URL(await postgres.database())
  const role = 'rotating'
  await postgres.query(`CREATE ROLE ${role} LOGIN PASSWORD 'the first'`)
  const file = join(folder, 'password')
  writeFileSync(file, 'the first\n')
  Object.assign(url, { username: role, password: '' })
  url.searchParams.set('password_file', file)
  const address = secretUrl(url)
  const pool = openPool(address, { max: 4, onIdleError: () => undefined })
  try {
    const held = await pool.connect()
    await postgres.query(`ALTER ROLE ${role} PASSWORD 'the second'`)
    const late = await pool.connect().catch((error: Error) => error)
    expect(late).toMatchObject({ code: '28P01' })
    writeFileSync(file, 'the second')
    ;(await pool.connect()).release()
    held.release()
    const session = await openDirectSession(address, openKnownServer(), [])
    session.end()
  } finally {
    await pool.end()
  }
})

test('so does a command; one that fails is an outage, and its output is in no message', async () => {
  const postgres = await server()
  const url = new URL(await postgres.database())
  const command = join(folder, 'token')
  writeFileSync(command, `#!/bin/sh\n[ "$1" = --right ] && echo '${url.password}' || { echo ${hidden}; exit 3; }\n`)
  chmodSync(command, 0o755)
  url.password = ''
  url.searchParams.set('password_command', `${command} --right`)
  expect(await setting(url.href, 'application_name')).toBe('rescind')
  url.searchParams.set('password_command', `${command} --wrong`)
  const failure = await setting(url.href, 'application_name').catch((error: Error) => error)
  expect(inspect(failure)).toContain('the command for the password of the database failed (3)')
  expect(inspect(failure)).not.toContain(hidden)
  expect(translateError(failure)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('gets no password from the file or the command of DATABASE_URL'),
  })
  // No half of a connection stays at the server.
  const waiting = () =>
    postgres.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname IS NULL AND backend_type = 'client backend'",
    )
  await expect.poll(waiting).toEqual([{ n: 0 }])
})
