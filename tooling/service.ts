// The real service as a child process: its own port, directory, database and keys, and ways to end it softly or not.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { until } from './client.ts'
import { freePort } from './free-port.ts'
import { type ServiceFiles, serviceEnvironment, writeServiceFiles } from './service-files.ts'
import { databaseIn } from './tested-database.ts'
import { spawnTethered, type Tethered } from './tethered-process.ts'

const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Set where the tests run the service from fewer files, which load in half the time. */
export const testedServiceVariable = 'TESTED_SERVICE'

/** A young generation that holds a start: collecting it costs a tenth of one. */
const ofTests = ['--min-semi-space-size=16']

export interface ServiceOptions extends ServiceFiles {
  /** `as it is`: `directory` holds a config.json already, and what else it names. */
  readonly configuration?: 'as it is'
  /** Over the defaults of service-files.ts. */
  readonly env?: Readonly<Record<string, string>>
  /** Holds configuration and database, and is left alone at the end. Absent: a temporary one that goes with it. */
  readonly directory?: string
  /** Absent: a random one. */
  readonly apiKey?: string
  /** What runs, with its arguments; the tested service by default. */
  readonly main?: readonly [file: string, ...args: string[]]
  /** For example `--cpu-prof`. */
  readonly nodeArguments?: readonly string[]
}

export interface Service extends AsyncDisposable {
  /** `http://127.0.0.1:…`, the same across restarts. */
  readonly url: string
  /** Where METRICS_PORT is. */
  readonly metricsUrl: string
  readonly apiKey: string
  readonly directory: string
  /** Of the process that runs now, or ran last. */
  readonly pid: number
  logs(): string
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process is gone. */
  kill9(): Promise<void>
  /** SIGTERM. Throws unless the process drains and ends with 0. */
  stop(): Promise<void>
  /** Starts it again on the same files, after stop() or kill9(). Throws while it runs. Resolves when it is ready. */
  restart(): Promise<void>
}

/** Resolves when `/api/v1/ready` answers 200. Throws with the log when it never does. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'rescind-')))
  const { apiKey = randomBytes(24).toString('hex') } = options
  const port = await freePort()
  const metricsPort = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...serviceEnvironment(directory, { ...options, apiKey, port, metricsPort }),
    ...options.env,
  }
  if (options.configuration === undefined) await writeServiceFiles(directory, options)
  const database = databaseIn(directory)
  database.create()

  const { nodeArguments = [] } = options
  // Arguments may replace modules of the source as they are loaded.
  const tested = nodeArguments.length > 0 ? mainFile : (process.env[testedServiceVariable] ?? mainFile)
  const main = options.main ?? [tested]
  const run = () => spawnTethered([...ofTests, ...nodeArguments, ...main], { cwd: directory, env })
  const end = async () => {
    running.signal('SIGKILL')
    await running.exited
    if (options.directory !== undefined) return
    database.drop()
    await rm(directory, { recursive: true, force: true })
  }
  let running = run()
  await ready(url, running).catch(async (cause) => {
    await end()
    throw cause
  })
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    apiKey,
    directory,
    get pid() {
      return running.pid
    },
    logs: () => running.logs(),
    kill9: async () => {
      running.signal('SIGKILL')
      await running.exited
    },
    stop: async () => {
      running.signal('SIGTERM')
      const { code, signal } = await running.exited
      if (code === 0) return
      throw new Error(`the service ended with ${signal ?? code} on SIGTERM; it must be 0\n${running.logs()}`)
    },
    restart: async () => {
      // The ports stay those of the first: it answers for the second, which ends.
      if (running.isRunning()) throw new Error('the service still runs; end it before it starts again')
      running = run()
      await ready(url, running)
    },
    [Symbol.asyncDispose]: end,
  }
}

async function ready(url: string, process: Tethered): Promise<void> {
  let ended: string | undefined
  process.exited.then(
    ({ code, signal }) => {
      ended = `ended with ${signal ?? code}`
    },
    (error: Error) => {
      ended = error.message
    },
  )
  await until(async () => ended !== undefined || (await isReady(url)), {
    everyMs: 25,
    // Far more than a start takes on a machine whose cores are busy otherwise.
    limitMs: 110_000,
    what: 'ready',
  }).catch((cause: unknown) => {
    throw new Error(`the service is not ready\n${process.logs()}`, { cause })
  })
  if (ended !== undefined) throw new Error(`the service ${ended} before it was ready\n${process.logs()}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/api/v1/ready`)
    await body.dump()
    return statusCode === 200
  } catch {
    return false
  }
}
