// The archive: transactions that are about to be removed, as lines of JSON in compressed files, one file a day.
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Attempt } from '../domain/attempt.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Clock } from '../ops/clock.ts'
import { memberOf } from '../ops/member.ts'

export interface ArchivedTransaction {
  readonly transaction: Transaction
  readonly attempts: readonly Attempt[]
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
  let current: { readonly day: string; readonly file: FileHandle } | undefined
  let appending: Promise<void> = Promise.resolve()

  async function close(): Promise<void> {
    const { file } = current ?? {}
    current = undefined
    await file?.close()
  }

  async function fileOf(day: string): Promise<FileHandle> {
    if (current?.day === day) return current.file
    await close()
    current = { day, file: await createFile(directory, day) }
    return current.file
  }

  async function appendNow(records: readonly ArchivedTransaction[]): Promise<void> {
    const lines = records.map((record) => `${JSON.stringify(present(record))}\n`)
    // A complete member of the format: a reader reads the file up to its last complete one.
    const bytes = await compress(lines.join(''))
    const file = await fileOf(new Date(clock.now()).toISOString().slice(0, 10))
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } catch (error) {
      // Its end may be incomplete, and nothing after that could be read.
      await close().catch(() => undefined)
      throw error
    }
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

/** A new one for each process and day: a file that a crash cut off is never continued. */
async function createFile(directory: string, day: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (let number = 1; ; number += 1) {
    const name = `transactions-${day}${number === 1 ? '' : `.${number}`}.ndjson.gz`
    try {
      const file = await open(join(directory, name), 'wx', 0o600)
      await syncDirectory(directory)
      return file
    } catch (error) {
      if (memberOf(error, 'code') !== 'EEXIST') throw error
    }
  }
}

/** The name of a new file is durable only with its directory. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}
