// A test that dies must not leave a service behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'

const tethered = fileURLToPath(new URL('../../tooling/tethered-process.ts', import.meta.url))

test('a tethered process ends when its parent is killed', async () => {
  const program = `
    import { spawnTethered } from ${JSON.stringify(tethered)}
    const child = spawnTethered(['-e', 'setInterval(() => undefined, 1000)'], { cwd: '/', env: {} })
    process.stdout.write(String(child.pid))`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(parent.stdout, 'data')) as [Buffer]
  const childPid = Number(output)
  expect(isAlive(childPid)).toBe(true)

  parent.kill('SIGKILL')
  expect(await until(() => !isAlive(childPid), { what: `process ${childPid} to be gone` })).toBe(true)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
