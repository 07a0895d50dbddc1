// The figures of each five minutes say what the rows say: no crash, retry or restore counts anything twice, or not at all.
import type { FigureTable } from '../../src/store/access-tables.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'

export interface KeptFigures {
  changed(row: Row, before: Row | undefined): void
  /** All committed changes have been read. */
  looked(): void
  forget(): void
}

type Count = 'sent' | 'confirmed' | 'failed' | 'canceled' | 'expired' | 'delay_ms'
type Counts = Partial<Record<Count, number>>
interface Share {
  readonly at: number
  readonly counts: Counts
}

const names: readonly Count[] = ['sent', 'confirmed', 'failed', 'canceled', 'expired', 'delay_ms']
const fiveMinutesMs = 300_000

export function watchFigures({ committed }: Disk, fail: (what: string) => void): KeptFigures {
  const kept = committed<[string, number], FigureTable>('SELECT * FROM figures WHERE relayer_id = ? AND at = ?')
  const paid = committed<[string], { spent: number; gas: number; delays: number }>(
    `SELECT SUM(spent) AS spent, SUM(gas) AS gas, SUM(delay_1 + delay_2 + delay_5 + delay_15 + delay_30 + delay_60 + delay_120 + delay_300
      + delay_900 + delay_3600 + delay_longer) AS delays FROM figures WHERE relayer_id = ?`,
  )
  /** The figures of each relayer and period. */
  const sums = new Map<string, { readonly relayer: string; readonly at: number; readonly counts: Counts }>()
  /** By relayer. A no-op that gave a payload up for now is spent, and in no row. */
  const spent = new Map<string, { rows: number; gas: number; delays: number; givenUp: number }>()
  const [touched, relayers] = [new Set<string>(), new Set<string>()]

  function add(row: Row, times: 1 | -1): void {
    for (const { at, counts } of sharesOf(row)) {
      const key = `${row.relayer_id} ${at}`
      const sum = sums.get(key) ?? { relayer: row.relayer_id, at, counts: {} }
      for (const name of names) sum.counts[name] = (sum.counts[name] ?? 0) + times * (counts[name] ?? 0)
      sums.set(key, sum)
      touched.add(key)
    }
    const of = spent.get(row.relayer_id) ?? { rows: 0, gas: 0, delays: 0, givenUp: 0 }
    spent.set(row.relayer_id, of)
    relayers.add(row.relayer_id)
    of.givenUp += times * (row.give_ups ?? 0)
    if (confirmationOf(row) === undefined || row.included_kind === 'external') return
    of.rows += times
    of.gas += times * (row.gas_used ?? 0)
    if (row.origin !== 'gap' && isExecuted(row)) of.delays += times
  }

  function compare(key: string): void {
    const sum = sums.get(key)
    if (!sum) return
    const [row] = kept(sum.relayer, sum.at)
    for (const name of names) {
      const [found, expected] = [row?.[name] ?? 0, sum.counts[name] ?? 0]
      if (found !== expected) fail(`${sum.relayer}: ${found} ${name} are kept of ${sum.at}, its rows have ${expected}`)
    }
  }

  function compareSpent(relayer: string): void {
    const { rows, gas, delays, givenUp } = spent.get(relayer) ?? { rows: 0, gas: 0, delays: 0, givenUp: 0 }
    const [found] = paid(relayer)
    const beyond = (found?.spent ?? 0) - rows
    if (beyond < 0 || beyond > givenUp) fail(`${relayer}: ${found?.spent} spent nonces are kept, its rows have ${rows}`)
    if (beyond === 0 && (found?.gas ?? 0) !== gas) fail(`${relayer}: ${found?.gas} gas is kept, its rows have ${gas}`)
    if ((found?.delays ?? 0) !== delays) fail(`${relayer}: ${found?.delays} delays are kept, its rows have ${delays}`)
  }

  return {
    changed(row, before) {
      if (before) add(before, -1)
      add(row, 1)
    },
    looked() {
      for (const key of touched) compare(key)
      for (const relayer of relayers) compareSpent(relayer)
      touched.clear()
      relayers.clear()
    },
    forget() {
      for (const each of [sums, spent, touched, relayers]) each.clear()
    },
  }
}

function sharesOf(row: Row): readonly Share[] {
  if (row.origin === 'gap') return []
  const shares: Share[] = []
  const share = (at: number | null | undefined, counts: Counts) => {
    if (at !== null && at !== undefined) shares.push({ at: at - (at % fiveMinutesMs), counts })
  }
  share(row.sent_at, { sent: 1 })
  if (row.status === 'canceled' || row.status === 'expired') share(row.canceled_at, { [row.status]: 1 })
  if (row.status === 'confirmed' || row.status === 'failed') {
    const at = confirmationOf(row)
    const delay = at !== undefined && isExecuted(row) ? { delay_ms: Math.max(0, at - row.created_at) } : {}
    share(at ?? row.ended_at, { [row.status]: 1, ...delay })
  }
  return shares
}

function confirmationOf({ phase, confirmed_at: at, ended_at: endedAt }: Row): number | undefined {
  if (phase !== 'mined' && phase !== 'final') return undefined
  return at ?? (phase === 'final' ? endedAt : null) ?? undefined
}

/** The payload, with a result. */
function isExecuted({ included_kind: kind, included_succeeded: succeeded }: Row): boolean {
  return kind !== null && kind !== 'external' && kind !== 'cancel' && succeeded !== null
}
