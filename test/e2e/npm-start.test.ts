// Signals through npm, which passes them to its child and waits for nobody else; a terminal signals both at once.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { type ServiceFiles, serviceEnvironment, writeServiceFiles } from '../../tooling/service-files.ts'
import { databaseIn } from '../../tooling/tested-database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Started extends AsyncDisposable {
  readonly npm: ChildProcess
  readonly port: number
  readonly apiKey: string
  reported(): string
}

/** In a process group of its own, as in a terminal; nothing of the group outlives the test. */
async function npmStart(): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-'))
  // Without relayers no node is ever called.
  const files: ServiceFiles = { networks: [{ name: 'local', rpcUrls: ['http://127.0.0.1:1'] }], relayers: [] }
  await writeServiceFiles(directory, files)
  const database = databaseIn(directory)
  database.create()
  const at = { port: await freePort(), metricsPort: await freePort(), apiKey: randomBytes(24).toString('hex') }
  const { PATH, HOME } = process.env
  const env = { ...serviceEnvironment(directory, { ...files, ...at }), PATH, HOME }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let reported = ''
  npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    reported += chunk
  })
  await until(() => reported.includes('"msg":"ready"') || npm.exitCode !== null, { limitMs: 30_000, what: 'ready' })
  return {
    npm,
    ...at,
    reported: () => reported,
    async [Symbol.asyncDispose]() {
      killGroup(npm.pid)
      database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A request that the service has begun to read, and whose body comes only on demand. */
async function beginRequest({ port, apiKey }: Started): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  const head = [
    'POST /api/v1/relayers/nobody/sign HTTP/1.1',
    `Authorization: Bearer ${apiKey}`,
    ...['Host: here', 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'],
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 100 /)
  return socket
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended, as it should.
  }
}

test('a SIGTERM to npm drains the service, and npm ends with its status', async () => {
  await using started = await npmStart()
  const exited = once(started.npm, 'exit')
  started.npm.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  await until(() => started.reported().includes('"msg":"stopped: '), { what: 'its last line' })
  await expect(fetch(`http://127.0.0.1:${started.port}/api/v1/health`)).rejects.toThrow()
})

test('signals that come at once are one, as with Ctrl-C: requests under way are answered', async () => {
  await using started = await npmStart()
  const request = await beginRequest(started)
  const exited = once(started.npm, 'exit')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(-(started.npm.pid as number), signal)
  await until(() => started.reported().includes('"msg":"draining"') || started.npm.exitCode !== null, {
    what: 'the drain',
  })
  const answered = Promise.race([once(request, 'data'), once(request, 'close')])
  request.write('{}')
  expect(String(await answered)).toMatch(/^HTTP\/1.1 400 /)
  expect(await exited).toEqual([0, null])
})
