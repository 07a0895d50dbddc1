// A real PgBouncer between the service and its server, in each of its modes: refused at the start, whatever it does with the settings of
// sessions.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const postgres = sharedPostgres()

function isInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { env: { PATH: path } })
    return true
  } catch {
    return false
  }
}

/** Debian's package installs it for administrators. */
const path = `${process.env['PATH']}:/usr/sbin`
/** It does not run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function openPgBouncer(url: URL, settings: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${url.username}" "${url.password}"\n`)
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${url.port}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', `logfile = ${join(folder, 'log')}`],
      ...['auth_type = scram-sha-256', `auth_file = ${users}`],
      ...settings,
    ].join('\n'),
  )
  await chmod(folder, 0o755)
  if (account.uid !== undefined) for (const each of [folder, file, users]) await chown(each, account.uid, account.gid)
  const running = spawn('pgbouncer', [file], { ...account, cwd: folder, env: { PATH: path }, stdio: 'ignore' })
  const gone = once(running, 'exit')
  return {
    url: secretUrl(Object.assign(new URL(url), { port: String(port) })),
    async [Symbol.asyncDispose]() {
      running.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const ignoring =
  'ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options'

test.skipIf(isSkipped(!isInstalled())).each([
  ['transaction', [], /unsupported startup parameter.*a pooler is in between/],
  ['session', [], /unsupported startup parameter.*a pooler is in between/],
  ['transaction', [ignoring], /the settings of the session did not reach the server: a pooler is in between/],
  ['session', [ignoring], /the settings of the session did not reach the server: a pooler is in between/],
] as const)('PgBouncer in %s mode with %j is refused', async (mode, settings, refusal) => {
  const { database } = await postgres()
  await using pooler = await openPgBouncer(new URL(await database()), [`pool_mode = ${mode}`, ...settings])
  await until(
    async () => {
      const error = await openPostgresStore({ url: pooler.url, clock: systemClock, logger: quiet }).then(
        (store) => store[Symbol.asyncDispose]().then(() => new Error('it was taken for a server')),
        (thrown: Error) => thrown,
      )
      // It has not begun to listen yet.
      if (/ECONNREFUSED/.test(error.message)) return false
      expect(error.message).toMatch(refusal)
      return true
    },
    { what: 'an answer of the pooler' },
  )
})
