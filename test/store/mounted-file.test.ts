// A database file that is a mount of its own is refused at start: what lies beside it is not in the mount.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuseMountedFile } from '../../src/store/sqlite/follow-path.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind mounted-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the line of a mount is read as the kernel writes it', () => {
  const mounts =
    '24 1 0:22 / / rw - ext4 /dev/vda rw\n25 24 0:22 /a /data/my\\040\\134\\040files/rescind.db rw - ext4 /dev/vda rw\n26 24 0:5 / /data rw - tmpfs none rw\n'
  expect(() => refuseMountedFile('/data/my \\ files/rescind.db', mounts)).toThrow(
    /^DATABASE_URL: .* is mounted as a single file, .*; mount its folder instead/,
  )
  for (const path of ['/data/rescind.db', '/data/my \\ files/rescind.db-wal']) {
    expect(() => refuseMountedFile(path, mounts)).not.toThrow()
  }
})

const unshared = ['--user', '--map-root-user', '--mount']
const mayMount = spawnSync('unshare', [...unshared, 'true']).status === 0
const why = mayMount ? '' : ' (skipped: this machine lets no process mount in a namespace of its own)'

test.skipIf(!mayMount)(`a file that is mounted, and its folder mounted instead${why}`, async () => {
  const [mounted, path] = [join(folder, 'outside.db'), join(folder, 'rescind.db')]
  for (const each of [mounted, path]) await writeFile(each, '')
  const refusing = new URL('../../src/store/sqlite/follow-path.ts', import.meta.url).href
  const program = `import { refuseMountedFile } from ${JSON.stringify(refusing)}
try { refuseMountedFile(${JSON.stringify(path)}); console.log('taken') } catch (error) { console.log(error.name) }`
  const run = (mount: string) =>
    execFileSync(
      'unshare',
      [
        ...unshared,
        ...['sh', '-c', `${mount} && exec "$0" --input-type=module-typescript -e "$1"`, process.execPath, program],
        ...[mounted, path, folder],
      ],
      { encoding: 'utf8' },
    ).trim()
  expect(run('mount --bind "$2" "$3"')).toBe('OperatorError')
  expect(run('mount --bind "$4" "$4"')).toBe('taken')
})
