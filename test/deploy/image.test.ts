// The Dockerfile, as far as it can be held against the repository without an engine: its files, its Node, its user, its
// way to end, and a health check that is run against the service.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { anyService } from './any-service.ts'
import { isThere, read, unknownVariables } from './shipped.ts'

interface Instruction {
  readonly name: string
  readonly rest: string
}

const instructions: readonly Instruction[] = read('deploy/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    return { name, rest }
  })
const all = (name: string) => instructions.filter((each) => each.name === name).map(({ rest }) => rest)
const manifest = JSON.parse(read('package.json'))

test('every line is an instruction, and the last stage is the smallest', () => {
  expect(instructions.map(({ name }) => name)).not.toContain('')
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
  expect(last.filter(({ name, rest }) => name === 'RUN' && /npm|apt/.test(rest))).toEqual([])
})

test('its packages are those of the lock file', () => {
  const npm = all('RUN').filter((rest) => /\bnpm (i|install|ci)\b/.test(rest))
  expect(npm.length).toBeGreaterThan(1)
  expect(npm.filter((rest) => !rest.startsWith('npm ci '))).toEqual([])
})

test('its Node is the one of package.json, in every stage', () => {
  const versions = all('FROM').map((from) => /node:([\d.]+)-/.exec(from)?.[1])
  expect(new Set(versions)).toEqual(new Set([manifest.devDependencies.node]))
})

test('copied files exist and are let in; secrets are not', () => {
  const copied = all('COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(' ').slice(0, -1))
  expect(copied.filter((path) => !isThere(path))).toEqual([])
  const [everything, ...letIn] = read('deploy/Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(everything).toBe('*')
  expect(letIn.map((line) => line.replace(/^!/, '')).sort()).toEqual([...new Set(copied)].sort())
})

test('it runs the package’s command without root, and gets a signal to end itself', () => {
  expect(all('USER')).toEqual(['1000:1000'])
  const [entry] = all('ENTRYPOINT').map((rest) => JSON.parse(rest))
  const flags = manifest.scripts.start.match(/--[\w-]+=\d+/g)
  expect(entry).toEqual(['node', ...flags, manifest.bin.rescind])
  expect(all('CMD')).toEqual([])
  expect(all('STOPSIGNAL')).toEqual([])
})

test('it sets variables of the service only', async () => {
  const names = all('ENV').flatMap((rest) => [...rest.matchAll(/(?:^| )([A-Z_]+)=/g)].map(([, name]) => name as string))
  expect(names).toContain('HOST')
  expect(
    await unknownVariables(
      names.filter((name) => name !== 'NODE_ENV'),
      '',
    ),
  ).toEqual([])
})

test('its health check passes for a ready service, and fails without one', async () => {
  const [, command = '[]'] = /CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '') ?? []
  const [, ...args] = JSON.parse(command) as string[]
  const check = (port: string) =>
    promisify(execFile)(process.execPath, args, { env: { APP_PORT: port } }).then(
      () => 0,
      ({ code }: { code: number }) => code,
    )
  await using service = await anyService()
  const { port } = new URL(service.url)
  expect(await check(port)).toBe(0)
  await service.stop()
  expect(await check(port)).toBe(1)
})
