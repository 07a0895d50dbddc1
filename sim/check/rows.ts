// Checks the rows of transactions: no row is lost, payloads stay as they are, an end is final, and every event comes once, in order.
import type { TallyTable } from '../../src/store/access-tables.ts'
import type { Disk } from '../process/database.ts'
import { watchAttention } from './attention.ts'
import { watchBulkEvents } from './bulk-events.ts'
import { watchBulkObjects } from './bulk-objects.ts'
import { watchFigures } from './kept-figures.ts'
import type { Event, Row } from './row.ts'

export interface Rows {
  /** Reads the rows that commits have changed since the last call. */
  look(): void
  all(): ReadonlyMap<string, Row>
  /** No row changes any more, and the service had time to publish its events. */
  settled(): void
  /** A copy was restored: earlier observations no longer count. */
  forget(): void
}

export interface RowWatch {
  fail(what: string): void
  changed(row: Row, before: Row | undefined): void
  published(event: Event): void
  /** All committed changes have been read. */
  looked(): void
}

/** Gap fillers for one nonce, beyond one for each transaction that returned the nonce. */
const gapFillersUnexplainedMax = 2

const mayWait = ['held', 'queued', 'inFlight']
const ends = ['confirmed', 'failed', 'canceled', 'expired']
/** Columns that never change. */
const kept: readonly (keyof Row)[] = ['relayer_id', 'sequence', 'created_at', 'from_address']
/** Columns that only a PUT changes. The row keeps the old values beside the new ones. */
const payload: readonly (keyof Row)[] = [
  'to_address',
  'value',
  'data',
  'gas_limit',
  'pricing',
  'speed',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
  'access_list',
]

export function watchRows(disk: Disk, { fail, changed, published, looked }: RowWatch): Rows {
  const { committed, touched } = disk
  const byId = committed<[string], Row>('SELECT * FROM transactions WHERE id = ?')
  const newEvents = committed<[number], Event>('SELECT * FROM outbox WHERE id > ? ORDER BY id')
  const tallies = committed<[], TallyTable>('SELECT relayer_id, status, count FROM tallies')
  const everyId = committed<[], { id: string }>('SELECT id FROM transactions')
  const figures = watchFigures(disk, fail)
  const bulks = watchBulkObjects(disk, fail)
  const events = watchBulkEvents(disk, fail)
  const attention = watchAttention(disk, fail)
  const known = new Map<string, Row>()
  const ended = new Map<string, string>()
  /** By relayer and status. */
  const counts = new Map<string, number>()
  /** By relayer and nonce. */
  const gapFillers = new Map<string, { made: number; givenBack: number }>()
  let lastEvent = 0

  function count(row: Row, change: number): void {
    const { relayer_id: relayer, status } = row
    add(`${relayer} ${status === 'held' ? 'pending' : status}`, change)
    const isPending = ['held', 'pending', 'sent', 'submitted'].includes(status)
    const bytes = row.data.length + (row.earlier?.length ?? 0) + (row.access_list?.length ?? 0)
    if (isPending) add(`${relayer} bytes`, change * bytes)
  }

  function add(key: string, change: number): void {
    counts.set(key, (counts.get(key) ?? 0) + change)
  }

  function compare(row: Row): void {
    const before = known.get(row.id)
    if (before?.version === row.version) return
    known.set(row.id, row)
    if (before) count(before, -1)
    count(row, 1)
    const name = row.id.slice(-6)
    if (before) {
      if (before.open === 0) fail(`${name} had ended as ${before.status} and was written again, as ${row.status}`)
      const altered = kept.find((column) => before[column] !== row[column])
      if (altered) fail(`${name}: ${altered} was altered`)
      if (!keepsPayload(before, row)) fail(`${name}: its payload was altered, and what it replaced was not kept`)
      if (row.version < before.version) fail(`${name} went back to version ${row.version}`)
      const isOver = row.cancel_origin === 'request' || (row.phase === 'queued' && row.cancel_origin === null)
      const gaveUp = before.cancel_origin === 'refusal' && isOver
      if (before.canceled_at !== null && row.canceled_at !== before.canceled_at && !gaveUp) {
        fail(`${name}: its DELETE was undone`)
      }
    }
    countGapFillers(row, before)
    const waitsForFinality = row.confirmed_at !== null && row.wait_condition === 'finality_stalled' && row.open === 1
    const waitsForWitness =
      ['witnesses_contradict', 'witness_silent'].includes(row.wait_condition ?? '') && row.open === 1
    if (!mayWait.includes(row.phase) && row.wait_condition !== null && !waitsForFinality && !waitsForWitness) {
      fail(`${name} is ${row.phase}, and still said to wait: ${row.wait_facts}`)
    }
    if (row.open === 0 && !ends.includes(row.status) && !isUnjudged(row)) fail(`${name} ended as ${row.status}`)
    figures.changed(row, before)
    bulks.changed(row, before)
    changed(row, before)
  }

  /** At most one gap filler for a nonce, unless a transaction took the nonce and returned it, perhaps between two calls. */
  function countGapFillers(row: Row, before: Row | undefined): void {
    const nonce = row.nonce ?? before?.nonce
    if (nonce === null || nonce === undefined) return
    const key = `${row.relayer_id} ${nonce}`
    const at = gapFillers.get(key) ?? { made: 0, givenBack: 0 }
    if (!before && row.origin === 'gap') at.made += 1
    if (before && before.origin !== 'gap' && before.nonce !== null && row.nonce !== before.nonce) at.givenBack += 1
    gapFillers.set(key, at)
    if (at.made > at.givenBack + gapFillersUnexplainedMax)
      fail(`${row.relayer_id}: ${at.made} gap fillers for nonce ${nonce}`)
  }

  function readEvent(event: Event): void {
    lastEvent = event.id
    published(event)
    if (event.attention !== null) {
      attention.read(event)
      return
    }
    if (event.bulk_parts !== null) {
      events.read(event)
      return
    }
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
      const written = [...touched]
      touched.clear()
      for (const id of written) {
        const [row] = byId(id)
        if (row) compare(row)
        else if (known.has(id)) fail(`${id.slice(-6)} was stored and is gone`)
      }
      for (const event of newEvents(lastEvent)) readEvent(event)
      for (const id of written) {
        const row = known.get(id)
        if (row?.open === 0 && !ended.has(id)) fail(`${id.slice(-6)} ended as ${row.status} without an event`)
      }
      looked()
      figures.looked()
      bulks.looked()
      events.looked()
      attention.looked()
      for (const { relayer_id: relayer, status, count: tally } of tallies()) {
        const found = counts.get(`${relayer} ${status}`) ?? 0
        if (found !== tally) fail(`${relayer} ${status}: the tally says ${tally}, there are ${found}`)
      }
    },
    settled: () => events.settled(),
    all: () => known,
    forget() {
      known.clear()
      ended.clear()
      counts.clear()
      gapFillers.clear()
      figures.forget()
      bulks.forget()
      events.forget()
      attention.forget()
      lastEvent = 0
      for (const { id } of everyId()) touched.add(id)
    },
  }
}

/** Executed, and no node said whether it succeeded. */
function isUnjudged({ status, phase, included_succeeded: succeeded }: Row): boolean {
  return status === 'mined' && phase === 'final' && succeeded === null
}

function keepsPayload(before: Row, row: Row): boolean {
  const earlier = (of: Row) => (of.earlier === null ? [] : (JSON.parse(of.earlier) as Partial<Row>[]))
  const [had, has] = [earlier(before), earlier(row)]
  // A sweep gets its value with its nonce.
  const isUnsettled = before.origin === 'sweep' && (before.phase === 'queued' || before.nonce !== row.nonce)
  const same = (one: Partial<Row> | undefined, other: Partial<Row>) =>
    one !== undefined && payload.every((column) => one[column] === other[column] || (isUnsettled && column === 'value'))
  const added = has.slice(had.length)
  // A lower payment than the promised one is not raised later.
  const values = [...added.map(({ value }) => value), row.value].map((value) => BigInt(value ?? 0))
  if (row.origin === 'sweep' && values.some((value, index) => index > 0 && value >= (values[index - 1] ?? 0n)))
    return false
  if (!had.every((each, index) => same(has[index], each))) return false
  return added.length === 0 ? same(row, before) : same(added[0], before)
}
