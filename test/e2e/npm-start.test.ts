// SIGTERM reaches the service through npm, which tells its child and waits for nobody else.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { type ServiceFiles, serviceEnvironment, writeServiceFiles } from '../support/service-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('npm start drains on SIGTERM, and ends with 0', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-'))
  // Without relayers no node is ever asked.
  const files: ServiceFiles = { networks: [{ name: 'local', rpcUrls: ['http://127.0.0.1:1'] }], relayers: [] }
  const port = await freePort()
  const given = { ...files, apiKey: randomBytes(24).toString('hex'), port, metricsPort: await freePort() }
  await writeServiceFiles(directory, files)
  const { PATH, HOME } = process.env
  const env = { ...serviceEnvironment(directory, given), PATH, HOME }
  // A group of its own, so that nothing of it stays whatever comes of this.
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  try {
    let told = ''
    npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk
    })
    await until(() => told.includes('"msg":"ready"') || npm.exitCode !== null, { what: 'ready' })
    const exited = once(npm, 'exit')
    npm.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    await until(() => told.includes('"msg":"draining"'), { what: 'its last line' })
    await expect(fetch(`http://127.0.0.1:${port}/api/v1/health`)).rejects.toThrow()
  } finally {
    killGroup(npm.pid)
    await rm(directory, { recursive: true, force: true })
  }
})

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended, as it should.
  }
}
