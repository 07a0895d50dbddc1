// The unit of systemd: it starts the package as the package starts itself, and systemd takes every line of it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isSkipped } from '../support/is-skipped.ts'
import { read } from './shipped.ts'

const unit = read('deploy/systemd/rescind.service')
const directive = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
const manifest = JSON.parse(read('package.json'))
const analyze = '/usr/bin/systemd-analyze'

test('it starts the program of the package in the memory of the package, and gives it time to drain', () => {
  const flags = manifest.scripts.start.match(/--[\w-]+=\d+/g)
  expect(directive('ExecStart')?.split(' ')).toEqual([
    ...['/opt/rescind/bin/node', ...flags],
    ...[`/opt/rescind/node_modules/rescind/${manifest.bin.rescind}`, 'start'],
  ])
  expect(Number(directive('TimeoutStopSec'))).toBeGreaterThanOrEqual(40)
  expect(directive('User')).toBe('rescind')
})

test.skipIf(isSkipped(!existsSync(analyze)))(
  `systemd takes every line of it (skipped without ${analyze})`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rescind-unit-'))
    try {
      const file = join(folder, 'rescind.service')
      const verify = async (text: string) => {
        await writeFile(file, text)
        return promisify(execFile)(analyze, ['verify', '--man=no', file]).then(
          ({ stderr }) => stderr,
          ({ stderr }: { stderr: string }) => stderr,
        )
      }
      const here = unit.replace('/opt/rescind/bin/node', process.execPath)
      expect(await verify(here)).toBe('')
      expect(await verify(here.replace('ProtectSystem=strict', 'ProtectSystems=strict'))).toContain('ProtectSystems')
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
