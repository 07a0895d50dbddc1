// The rows, watched from outside: nothing is lost, payloads stand, an end is an end, and every event comes once, in order.
import type Database from 'better-sqlite3'
import type { OutboxTable, TransactionTable } from '../../src/store/schema.ts'

export type Row = TransactionTable
type Event = Omit<OutboxTable, 'id'> & { id: number }

export interface Rows {
  /** Reads what commits have changed since. */
  look(): void
  all(): ReadonlyMap<string, Row>
}

export interface RowWatch {
  fail(what: string): void
  changed(row: Row, before: Row | undefined): void
}

const ends = ['confirmed', 'failed', 'canceled', 'expired']
/** What the row keeps for ever. */
const kept: readonly (keyof Row)[] = [
  'relayer_id',
  'sequence',
  'created_at',
  'from_address',
  'to_address',
  'value',
  'data',
  'gas_limit',
  'pricing',
  'speed',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
  'valid_until',
]

export function watchRows(database: Database.Database, { fail, changed }: RowWatch): Rows {
  const versions = database.prepare<[], [string, number]>('SELECT id, version FROM transactions').raw()
  const byId = database.prepare<[string], Row>('SELECT * FROM transactions WHERE id = ?')
  const newEvents = database.prepare<[number], Event>('SELECT * FROM outbox WHERE id > ? ORDER BY id')
  const tallies = database.prepare<[], [string, string, number]>('SELECT relayer_id, status, count FROM tallies').raw()
  const known = new Map<string, Row>()
  const ended = new Map<string, string>()
  let lastEvent = 0

  function compare(row: Row): void {
    const before = known.get(row.id)
    known.set(row.id, row)
    const name = row.id.slice(-6)
    if (before) {
      if (before.open === 0) fail(`${name} had ended as ${before.status} and was written again, as ${row.status}`)
      const altered = kept.find((column) => before[column] !== row[column])
      if (altered) fail(`${name}: ${altered} of its payload was altered`)
      if (row.version < before.version) fail(`${name} went back to version ${row.version}`)
      const gaveUp = before.cancel_origin === 'refusal' && row.cancel_origin === 'request'
      if (before.canceled_at !== null && row.canceled_at !== before.canceled_at && !gaveUp) {
        fail(`${name}: its DELETE was undone`)
      }
    }
    if (row.open === 0 && !ends.includes(row.status)) fail(`${name} ended as ${row.status}`)
    changed(row, before)
  }

  function readEvent(event: Event): void {
    lastEvent = event.id
    const { transaction_id: id, status } = event
    const name = id.slice(-6)
    const end = ended.get(id)
    if (end !== undefined) fail(`${name}: an event ${status} after the terminal one, ${end}`)
    if (event.terminal === 1) ended.set(id, status)
    const row = known.get(id)
    if (event.terminal === 1 && (row?.open !== 0 || row.status !== status)) {
      fail(`${name}: a terminal event ${status} while the row says ${row?.status}`)
    }
  }

  return {
    look() {
      let count = 0
      for (const [id, version] of versions.iterate()) {
        count += 1
        if (known.get(id)?.version === version) continue
        const row = byId.get(id)
        if (row) compare(row)
      }
      if (count < known.size) fail(`${known.size - count} stored transactions are gone`)
      for (const event of newEvents.iterate(lastEvent)) readEvent(event)
      const counts = new Map<string, number>()
      for (const row of known.values()) {
        const key = `${row.relayer_id} ${row.status}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
        if (row.open === 0 && !ended.has(row.id)) fail(`${row.id.slice(-6)} ended as ${row.status} without an event`)
      }
      for (const [relayer, status, count] of tallies.iterate()) {
        const key = `${relayer} ${status}`
        if ((counts.get(key) ?? 0) !== count) fail(`${key}: the tally says ${count}, there are ${counts.get(key) ?? 0}`)
      }
    },
    all: () => known,
  }
}
