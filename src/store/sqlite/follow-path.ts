// Whether the path of the database still leads to the file that is open, and will after the next start. What is written to another file
// is gone then, without a word.
import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { OperatorError } from '../../ops/operator-error.ts'

/**
 * Throws OperatorError where the file is a mount of its own, as `docker run -v ./rescind.db:/data/rescind.db` makes it: its write-ahead
 * log lies beside it, outside of the mount. Devices and inodes don't show that: on overlayfs those of a folder and its file differ, and
 * those of a bind mount are equal.
 */
export function refuseMountedFile(path: string, mounts = readMounts()): void {
  // proc_pid_mountinfo(5): the fifth field, with blanks and backslashes as octal escapes.
  const points = mounts.split('\n').map((line) => unescaped(line.split(' ')[4] ?? ''))
  if (!points.includes(path)) return
  const fix = 'mount its folder instead, and stop the service before you copy the file, its -wal and its -shm there'
  throw new OperatorError(
    `DATABASE_URL: ${path} is mounted as a single file, and its write-ahead log would be lost with the container; ${fix}`,
  )
}

function unescaped(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** Empty where the system has no such file. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

interface FollowedPath extends Disposable {
  isReplaced(): boolean
}

/**
 * `path`: as configured, with its links. Dispose it after SQLite has closed the file: closing any descriptor of a file ends all locks that
 * the process holds on it.
 */
export function followPath(path: string): FollowedPath {
  const fd = openSync(path, 'r')
  const opened = fstatSync(fd, { bigint: true })
  return {
    isReplaced() {
      const found = statOf(path)
      return found?.ino !== opened.ino || found.dev !== opened.dev
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** Undefined also where the next start could not reach it: behind a loop of links, or a folder without rights. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
