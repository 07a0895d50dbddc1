// What the writer did, in the order in which it did it, with the relayer's rules as they were at that moment. Triggers of
// this connection write it within the writer's own transaction: changes that are rolled back were never in it.
import type Database from 'better-sqlite3'

export interface Entry {
  /**
   * - `accepted`, `replaced`: a client's payload is stored. `filled`: a no-op of the relayer's own is. `swept`: a sweep is.
   * - `bound`: a transaction of the queue gets a nonce. `signed`: an attempt is recorded.
   * - `resumed`: a relayer's own pause changes with that of its network.
   * - `released`: a hold ends, by a client or by time.
   * - `canceled`: a DELETE is. `expired`: its valid_until has passed. `refused`: the relayer itself gives the payload up.
   */
  readonly what:
    | 'accepted'
    | 'replaced'
    | 'filled'
    | 'swept'
    | 'bound'
    | 'signed'
    | 'released'
    | 'canceled'
    | 'expired'
    | 'refused'
    | 'resumed'
  readonly transaction_id: string
  /** The payload's, or the attempt's signed bytes. */
  readonly bytes: string
  /** Of an attempt: the head that it was decided at. Of a DELETE: whether the payload was mined. Of an expiry: when. */
  readonly figure: number | null
  readonly relayer_id: string
  readonly paused: 0 | 1
  /** By the mark of the network, whatever the relayer's row says. */
  readonly network_paused: 0 | 1
  /** As JSON. */
  readonly policies: string
}

export interface Journal {
  /** Committed entries that were not returned yet. The writer is at rest. */
  since(): readonly Entry[]
  /** Skips the entries so far. */
  skip(): void
  wipe(): void
}

const relayer =
  'SELECT NULL, %, r.id, r.paused, EXISTS (SELECT 1 FROM network_pauses n WHERE n.network = r.network), r.policies FROM relayers r WHERE r.id ='

/** The triggers: a name, an event of a table, and the values of the entry. */
const triggers: readonly (readonly [name: string, when: string, expected: string, relayerId: string])[] = [
  [
    'stored',
    'INSERT ON main.transactions',
    "CASE NEW.origin WHEN 'gap' THEN 'filled' WHEN 'sweep' THEN 'swept' ELSE 'accepted' END, NEW.id, NEW.data, 0",
    'NEW.relayer_id',
  ],
  [
    'replaced',
    "UPDATE ON main.transactions WHEN NEW.earlier IS NOT OLD.earlier AND NEW.origin <> 'sweep'",
    "'replaced', NEW.id, NEW.data, 0",
    'NEW.relayer_id',
  ],
  [
    'bound',
    "UPDATE ON main.transactions WHEN OLD.phase = 'queued' AND NEW.phase = 'inFlight'",
    "'bound', NEW.id, NEW.data, NEW.nonce",
    'NEW.relayer_id',
  ],
  [
    'released',
    "UPDATE ON main.transactions WHEN OLD.phase = 'held' AND NEW.phase = 'queued'",
    "'released', NEW.id, NEW.data, 0",
    'NEW.relayer_id',
  ],
  [
    'canceled',
    "UPDATE ON main.transactions WHEN NEW.cancel_origin = 'request' AND OLD.cancel_origin IS NOT 'request'",
    "'canceled', NEW.id, NEW.data, OLD.phase = 'mined' AND OLD.included_contradicted IS NULL AND OLD.included_kind IN ('execute', 'replace', 'unrecorded')",
    'NEW.relayer_id',
  ],
  [
    'expired',
    "UPDATE ON main.transactions WHEN NEW.cancel_origin = 'expiry' AND OLD.cancel_origin IS NULL",
    "'expired', NEW.id, NEW.data, NEW.valid_until",
    'NEW.relayer_id',
  ],
  [
    'refused',
    "UPDATE ON main.transactions WHEN (NEW.drop_reason = 'refused' AND OLD.drop_reason IS NULL) OR (NEW.cancel_origin = 'refusal' AND OLD.cancel_origin IS NULL)",
    "'refused', NEW.id, NEW.data, 0",
    'NEW.relayer_id',
  ],
  [
    'resumed',
    'UPDATE ON main.relayers WHEN NEW.network_paused <> OLD.network_paused AND NEW.paused <> OLD.paused',
    "'resumed', NEW.id, '', NEW.paused",
    'NEW.id',
  ],
  [
    'signed',
    'INSERT ON main.attempts',
    "'signed', NEW.transaction_id, NEW.raw, NEW.recorded_at_block",
    '(SELECT relayer_id FROM transactions WHERE id = NEW.transaction_id)',
  ],
]

export function keepJournal(writer: Database.Database): Journal {
  writer.exec(
    'CREATE TEMP TABLE journal (place INTEGER PRIMARY KEY, what TEXT, transaction_id TEXT, bytes TEXT, figure INTEGER, relayer_id TEXT, paused INTEGER, network_paused INTEGER, policies TEXT)',
  )
  for (const [name, when, reported, relayerId] of triggers) {
    const insert = `INSERT INTO journal ${relayer.replace('%', () => reported)} ${relayerId}`
    writer.exec(`CREATE TEMP TRIGGER journal_${name} AFTER ${when} BEGIN ${insert}; END`)
  }
  const read = writer.prepare<[number], Entry & { place: number }>(
    'SELECT * FROM journal WHERE place > ? ORDER BY place',
  )
  const last = writer.prepare<[], number | null>('SELECT max(place) FROM journal').pluck()
  const empty = writer.prepare('DELETE FROM journal')
  let reported = 0
  return {
    since() {
      const entries = read.all(reported)
      reported = entries.at(-1)?.place ?? reported
      return entries
    },
    skip() {
      reported = last.get() ?? 0
    },
    wipe() {
      empty.run()
      reported = 0
    },
  }
}
