// A real HAProxy with `retry-on 503`, which repeats a POST like any other request.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { sharedPostgres } from '../store/open-postgres.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { expectOnePayload, fates } from './support/one-payload.ts'

const server = sharedPostgres()

/** Debian's package installs it for administrators. */
const path = `${process.env['PATH']}:/usr/sbin`

function isInstalled(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { env: { PATH: path } })
    return true
  } catch {
    return false
  }
}

async function openHaproxy(portOfService: number) {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-haproxy-'))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option http-buffer-request',
    'frontend clients',
    `  bind 127.0.0.1:${port}`,
    '  default_backend service',
    'backend service',
    '  retries 3',
    '  retry-on 503',
    `  server one 127.0.0.1:${portOfService}`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const running = spawn('haproxy', ['-db', '-f', file], { env: { PATH: path }, stdio: 'ignore' })
  const gone = once(running, 'exit')
  await until(() => listens(port), { what: 'HAProxy' })
  return {
    port,
    async [Symbol.asyncDispose]() {
      running.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

test.skipIf(isSkipped(!isInstalled())).each(fates)(
  'one request, whose COMMIT is lost, is one transaction: %s (skipped without haproxy)',
  async (fate) => {
    await expectOnePayload(server, fate, openHaproxy)
  },
)
