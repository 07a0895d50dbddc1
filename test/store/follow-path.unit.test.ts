// A database file that is a mount of its own, and a path that leads to another file than the open one.
import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followPath, refuseMountedFile } from '../../src/store/sqlite/follow-path.ts'

test('the line of a mount is read as the kernel writes it', () => {
  const mounts = [
    '24 1 0:22 / / rw - ext4 /dev/vda rw',
    '25 24 0:22 /a /data/my\\040\\134\\040files/rescind.db rw - ext4 /dev/vda rw',
    '26 24 0:5 / /data rw - tmpfs none rw\n',
  ].join('\n')
  expect(() => refuseMountedFile('/data/my \\ files/rescind.db', mounts)).toThrow(
    /^DATABASE_URL: .* is mounted as a single file, .*; mount its folder instead/,
  )
  for (const path of ['/data/rescind.db', '/data/my \\ files/rescind.db-wal']) {
    expect(() => refuseMountedFile(path, mounts)).not.toThrow()
  }
})

test('a file that is moved, replaced or no longer linked to is noticed, and one that is back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-followed-'))
  const [path, file, other] = ['rescind.db', 'one.db', 'two.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [file, other]) await writeFile(each, '')
  await symlink(file, path)
  {
    using followed = followPath(path)
    expect(followed.isReplaced()).toBe(false)
    await rename(file, `${file}.away`)
    expect(followed.isReplaced()).toBe(true)
    await writeFile(file, '')
    expect(followed.isReplaced()).toBe(true)
    await rename(`${file}.away`, file)
    expect(followed.isReplaced()).toBe(false)
    await unlink(path)
    await symlink(other, path)
    expect(followed.isReplaced()).toBe(true)
    await unlink(path)
    await symlink(path, path)
    expect(followed.isReplaced()).toBe(true)
  }
  await rm(folder, { recursive: true })
})
