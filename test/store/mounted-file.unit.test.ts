// A database file that is a mount of its own is refused at start: what lies beside it is not in the mount.
import { expect, test } from 'vitest'
import { refuseMountedFile } from '../../src/store/sqlite/follow-path.ts'

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
