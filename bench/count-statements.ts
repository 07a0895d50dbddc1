// Loaded before the service: counts its SQL statements. SIGUSR2 writes the counts to STATEMENTS_FILE.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { watchStatements } from '../tooling/watch-statements.ts'
import type { StatementCounts } from './read-counts.ts'

const request = new AsyncLocalStorage<true>()
const byVerb: Record<string, number> = {}
const counts = { ofRequests: 0, statements: 0, rows: 0, writingCommits: 0, logFrames: 0 }
let rowsSinceBegin = 0
let lastFrame = 0

// Steps and sweeps in the background run outside of it.
subscribe('http.server.request.start', () => request.enterWith(true))

watchStatements(({ verb, rows, triggeredRows, file }) => {
  if (request.getStore()) counts.ofRequests += 1
  counts.statements += 1
  byVerb[verb] = (byVerb[verb] ?? 0) + 1
  rowsSinceBegin = verb === 'begin' ? 0 : rowsSinceBegin + rows + triggeredRows
  counts.rows += rows + triggeredRows
  if (verb !== 'commit' || rowsSinceBegin === 0) return
  counts.writingCommits += 1
  if (file === undefined) return
  const frame = lastFrameOf(file)
  // After a checkpoint the log begins anew.
  counts.logFrames += frame < lastFrame ? frame : frame - lastFrame
  lastFrame = frame
})

/** The number of frames in the write-ahead log: `mxFrame` in the header of its index (sqlite.org/walformat.html). */
function lastFrameOf(database: string): number {
  const index = openSync(`${database}-shm`, 'r')
  const field = new Uint32Array(1)
  readSync(index, field, 0, 4, 16)
  closeSync(index)
  return field[0] ?? 0
}

const file = process.env['STATEMENTS_FILE'] ?? ''
process.on('SIGUSR2', () => {
  const all: StatementCounts = { ...counts, byVerb }
  writeFileSync(`${file}.new`, JSON.stringify(all))
  // So that nobody reads half of it.
  renameSync(`${file}.new`, file)
})
