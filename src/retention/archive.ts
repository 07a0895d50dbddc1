// The archive: transactions that are about to be removed, as lines of JSON in compressed files, one file a day.
import { type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Attempt } from '../domain/attempt.ts'
import type { BulkId } from '../domain/ids.ts'
import type { Labels } from '../domain/labels.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Clock } from '../ops/clock.ts'
import { memberOf } from '../ops/member.ts'

export interface ArchivedTransaction {
  readonly transaction: Transaction
  readonly attempts: readonly Attempt[]
  readonly labels?: Labels
  /** The bulk cancellation that canceled it. Absent: none did, or its record is pruned. */
  readonly bulkId?: BulkId
}

export interface Archive extends AsyncDisposable {
  /** Resolves once they are durable. One call after the other. */
  append(records: readonly ArchivedTransaction[]): Promise<void>
}

const compress = promisify(gzip)

/** `present` makes the value of a line. */
export function openArchive(given: {
  readonly directory: string
  readonly clock: Clock
  readonly present: (record: ArchivedTransaction) => object
}): Archive {
  const { directory, clock, present } = given
  let current: OpenFile | undefined
  let appending: Promise<void> = Promise.resolve()

  async function close(): Promise<void> {
    const { file } = current ?? {}
    current = undefined
    await file?.close()
  }

  async function fileOf(day: string): Promise<OpenFile> {
    if (current?.day === day) return current
    await close()
    current = { day, ...(await createFile(directory, day)), size: 0 }
    return current
  }

  async function appendNow(records: readonly ArchivedTransaction[]): Promise<void> {
    const lines = records.map((record) => `${JSON.stringify(present(record))}\n`)
    // A complete member of the format: a reader reads the file up to its last complete one.
    const bytes = await compress(lines.join(''))
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const opened = await fileOf(new Date(clock.now()).toISOString().slice(0, 10))
      await write(opened, bytes)
      if (await isInPlace(opened)) return
      await close()
    }
    throw new Error(`${directory}: a file of the archive was moved, deleted or cut off while it was written`)
  }

  async function write(opened: OpenFile, bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(opened.file, bytes)
    } catch (error) {
      // As on a full disk. Nothing after an incomplete member could be read.
      await opened.file.truncate(opened.size).catch(close)
      throw error
    }
    try {
      await opened.file.datasync()
    } catch (error) {
      // A later sync may succeed without these bytes, so nothing more goes into this file.
      await close().catch(() => undefined)
      throw error
    }
    opened.size += bytes.length
  }

  return {
    append(records) {
      if (records.length === 0) return Promise.resolve()
      const appended = appending.then(() => appendNow(records))
      appending = appended.catch(() => undefined)
      return appended
    },
    async [Symbol.asyncDispose]() {
      await appending
      await close()
    },
  }
}

/** An operator may move a file away at any moment, but hardly two in a row. */
const triesMax = 2

interface NewFile {
  readonly path: string
  readonly file: FileHandle
}

interface OpenFile extends NewFile {
  readonly day: string
  /** Everything up to here is durable. */
  size: number
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written)
    written += bytesWritten
  }
}

/** False if somebody moved the file, deleted it or cut it off: then its lines may be lost. */
async function isInPlace({ path, file, size }: OpenFile): Promise<boolean> {
  const held = await file.stat({ bigint: true })
  try {
    const named = await stat(path, { bigint: true })
    return named.ino === held.ino && named.dev === held.dev && held.size === BigInt(size)
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return false
    throw error
  }
}

/** A new one for each process and day: a file that a crash cut off is never continued. */
async function createFile(directory: string, day: string): Promise<NewFile> {
  const created = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (created !== undefined) {
    const top = dirname(created)
    for (let at = dirname(directory); at.length >= top.length && at !== dirname(at); at = dirname(at)) {
      await syncDirectory(at)
    }
  }
  for (let number = 1; ; number += 1) {
    const path = join(directory, `transactions-${day}${number === 1 ? '' : `.${number}`}.ndjson.gz`)
    const file = await openNew(path)
    if (!file) continue
    try {
      await syncDirectory(directory)
      return { path, file }
    } catch (error) {
      await file.close()
      await unlink(path)
      throw error
    }
  }
}

/** For appending only: after somebody cut the file off, a write at a position would leave a hole. Undefined: the name is taken. */
async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'ax', 0o600)
  } catch (error) {
    if (memberOf(error, 'code') === 'EEXIST') return undefined
    throw error
  }
}

/** The name of a new file or directory is durable only with the directory that holds it. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}
