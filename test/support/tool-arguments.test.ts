// Tools of the repository tell how they are used, to whoever asks and to whoever mistypes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each([
  ['sim', 'sim/main.ts'],
  ['sim:mutants', 'sim/mutants/main.ts'],
  ['bench', 'bench/main.ts'],
  ['chaos', 'test/chaos/replicas/main.ts'],
])('npm run %s', (name, path) => {
  const run = (option: string) => spawnSync(process.execPath, [path, option], { cwd: root, encoding: 'utf8' })
  const helped = run('--help')
  expect([helped.status, helped.stderr]).toEqual([0, ''])
  expect(helped.stdout).toMatch(new RegExp(`^npm run ${name} -- \\[--`))
  const mistyped = run('--sede')
  expect([mistyped.status, mistyped.stdout]).toEqual([2, ''])
  expect(mistyped.stderr).toMatch(/^Unknown option '--sede'/)
  expect(mistyped.stderr).toContain(helped.stdout)
  expect(mistyped.stderr).not.toContain('node:internal')
})
