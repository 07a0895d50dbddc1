// Readers of events miss none and get none twice, and pruning deletes no event that is to stay, whatever order events, restarts,
// failovers, backups that are put back, prunings, slow writers and readers come in.
import fc from 'fast-check'
import { expect } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { RescindError } from '../../src/domain/errors.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { presentEventId } from '../../src/http/events/present-event.ts'
import { resumeAt } from '../../src/http/events/resume-events.ts'
import { openIdSeal } from '../../src/http/events/seal-ids.ts'
import { eventsInView } from '../../src/http/events/view-events.ts'
import { administrator } from '../../src/http/request/authenticate.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someRelayer } from '../domain/some.ts'
import { sendWithin } from './contract.ts'
import { delivered, turn } from './contract-deliveries.ts'

/** A transaction of a slow writer, with an event. */
export interface Writer {
  /** Of the event. */
  readonly id: number
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>
}

/** A database that can be copied and put back. Processes are open on it only between `open` and their end. */
export interface Ground extends AsyncDisposable {
  open(): Promise<Store>
  query<Row>(sql: string): Promise<readonly Row[]>
  /** While no process is open. */
  copy(): Promise<number>
  /** The copy becomes the database, as on a promoted standby, or out of a dump. While no process is open. */
  putBack(copy: number, as: 'standby' | 'dump'): Promise<void>
  /** Of the subject; absent where writers take turns. */
  write?(subject: Subject): Promise<Writer>
  /** The ids, of no event, from which a database that was put back counts on. */
  starts(): Promise<readonly number[]>
  /** Whether an id is given out once in all copies. */
  readonly givesIdsOnce: boolean
}

/** Whom an event is about. */
interface Subject {
  readonly relayer: RelayerId
  readonly transaction: string
  readonly occurredAt: number
}

const anyStep = fc.record({
  do: fc.constantFrom(
    ...(['commit', 'commit', 'commit', 'read', 'read', 'read', 'prune', 'prune', 'deliver', 'restart'] as const),
    ...(['slow', 'slow', 'end', 'undo', 'copy', 'failover', 'standby', 'dump'] as const),
  ),
  count: fc.integer({ min: 1, max: 4 }),
  which: fc.nat({ max: 5 }),
})

interface Committed {
  readonly id: number
  readonly subject: string
  readonly occurredAt: number
  /** Its place among all ids that were given out, those of transactions that were undone, too. */
  readonly place: number
}

interface Reader {
  /** What it sends as Last-Event-ID. */
  token: string | undefined
  /** It names its place by the last event, or by the last line, which may have no event. */
  readonly byLine: boolean
  seen: Set<string>
  /** The number of backups that were put back before. */
  restores: number
}

const eventMs = 1_000
const everything = () => true
export const seal = openIdSeal(secret('of all processes'), systemRandom())

export async function compareReaders(openGround: () => Promise<Ground>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), fc.boolean(), async (steps, hasReceiver) => {
      await using ground = await openGround()
      await using world = await openWorld(ground, hasReceiver)
      for (const step of steps) await world[step.do](step)
      await world.end()
      for (const reader of [0, 1, 2, 3]) await world.read({ which: reader })
      await world.deliver()
    }),
    { numRuns, endOnFailure: true },
  )
}

async function openWorld(ground: Ground, hasReceiver: boolean) {
  const relayer = 'some-relayer' as RelayerId
  let time = now
  let places = 0
  let restores = 0
  /** In the order of ids. */
  let committed: readonly Committed[] = []
  const copies: { readonly copy: number; readonly committed: readonly Committed[]; readonly places: number }[] = []
  /** By id, in all copies. */
  const given = new Map<number, string>()
  const received = new Set<string>()
  let slow: { readonly writer: Writer; readonly event: Committed } | undefined
  const readers: Reader[] = [false, true, false, true].map((byLine) => ({
    ...{ token: undefined, seen: new Set(), restores: 0 },
    byLine: byLine && ground.givesIdsOnce,
  }))
  const processes: (Store | undefined)[] = ground.write ? [undefined, undefined] : [undefined]

  async function process(which: number): Promise<Store> {
    const place = which % processes.length
    processes[place] ??= await ground.open()
    return processes[place]
  }

  async function stop(place: number): Promise<void> {
    await processes[place]?.[Symbol.asyncDispose]()
    processes[place] = undefined
  }

  const stored = () =>
    ground.query<{ id: number; subject: string; at: number }>(
      'SELECT id, transaction_id AS subject, occurred_at AS at FROM outbox ORDER BY id',
    )

  function note(event: Committed): void {
    if (ground.givesIdsOnce) {
      expect([event.id, given.get(event.id) ?? event.subject]).toEqual([event.id, event.subject])
      if (!given.has(event.id)) expect(event.id).toBeGreaterThan(Math.max(0, ...given.keys()))
    }
    given.set(event.id, event.subject)
  }

  async function transaction(store: Store): Promise<string> {
    const sent = await store.commit((session) => sendWithin(session, relayer), relayer)
    return sent.id
  }

  /** As a client: at a refusal it reads the transactions themselves, and follows from the newest event. */
  async function readOn(reader: Reader, store: Store): Promise<readonly Committed[] | 'gone'> {
    const view = eventsInView(store.reads, seal, administrator)
    const events: Committed[] = []
    try {
      let position = await resumeAt(store.reads, seal, view, reader.token, undefined)
      for (;;) {
        const window = await store.reads.events(position, 3, everything)
        for (const event of window.events) {
          if (!('transaction' in event)) throw new Error('there are no bulk cancellations')
          const { id, occurredAt } = event
          events.push({ id, occurredAt, subject: event.transaction.id, place: 0 })
          reader.token = presentEventId(event)
        }
        if (window.through <= position) break
        position = window.through
      }
      if (reader.byLine || reader.token === undefined) reader.token = String(position)
      return events
    } catch (error) {
      if (!(error instanceof RescindError) || error.code !== 'EVENTS_GONE') throw error
      const newest = await store.reads.newestEvent()
      reader.token = String(newest)
      reader.seen = new Set(committed.filter(({ id }) => id <= newest).map(({ subject }) => subject))
      return 'gone'
    }
  }

  async function quiet(): Promise<void> {
    await slow?.writer.end('ROLLBACK')
    slow = undefined
    for (const place of processes.keys()) await stop(place)
  }

  async function putBack(from: (typeof copies)[number] | undefined, as: 'standby' | 'dump'): Promise<void> {
    if (!from) return
    await quiet()
    await ground.putBack(from.copy, as)
    committed = from.committed
    places = from.places
    restores += 1
  }

  async function copyNow(): Promise<(typeof copies)[number]> {
    await quiet()
    return { copy: await ground.copy(), committed, places }
  }

  const { commit } = await process(0)
  await commit((session) =>
    session.saveRelayer(someRelayer({ id: relayer, ...(hasReceiver && { notificationId: 'hook' }) })),
  )

  const steps = {
    async commit({ count, which }: { count: number; which: number }) {
      const store = await process(which)
      const before = new Set((await stored()).map(({ id }) => id))
      time += eventMs
      await store.commit(async (session) => {
        for (let made = 0; made < count; made += 1) {
          const sent = await sendWithin(session, relayer)
          await session.saveTransaction(sent, cancel(sent, time), time)
        }
      }, relayer)
      for (const { id, subject, at } of await stored()) {
        if (before.has(id)) continue
        places += 1
        const event = { id, subject, occurredAt: at, place: places }
        note(event)
        committed = [...committed, event]
      }
    },

    async slow({ which }: { which: number }) {
      if (slow || !ground.write) return
      const subject = await transaction(await process(which))
      time += eventMs
      const writer = await ground.write({ relayer, transaction: subject, occurredAt: time })
      places += 1
      slow = { writer, event: { id: writer.id, subject, occurredAt: time, place: places } }
      note(slow.event)
    },

    async end() {
      await slow?.writer.end('COMMIT')
      if (slow) committed = [...committed, slow.event].toSorted((one, other) => one.id - other.id)
      slow = undefined
    },

    async undo() {
      await slow?.writer.end('ROLLBACK')
      slow = undefined
    },

    async read({ which }: { which: number }) {
      const reader = readers[which % readers.length] as Reader
      const store = await process(which >> 1)
      // A number alone does not show that it is of another copy: such a reader begins anew after a restore.
      const isBare = !reader.token?.includes('-') && reader.restores < restores
      if (isBare && !ground.givesIdsOnce) reader.token = undefined
      const isNew = reader.token === undefined
      const rows = new Set((await stored()).map(({ id }) => id))
      const missing = committed.filter(({ subject }) => !reader.seen.has(subject))
      const isPruned = missing.some(({ id }) => !rows.has(id))
      // An id may be given out again to another event.
      const known = new Set(
        committed.map((event) => (reader.token?.includes('-') ? presentEventId(event) : String(event.id))),
      )
      const isStart = [0, ...(await ground.starts())].some((id) => String(id) === reader.token)
      const isAhead = reader.restores < restores && !isStart && !known.has(String(reader.token))
      const events = await readOn(reader, store)
      reader.restores = restores
      if (isNew) {
        // It follows what is new, and has read the rest as it was then.
        expect(events).toEqual([])
        if (events !== 'gone') {
          const start = Number(reader.token)
          reader.seen = new Set(committed.filter(({ id }) => id <= start).map(({ subject }) => subject))
        }
        return
      }
      if (events === 'gone') {
        expect([isPruned, isAhead]).toContain(true)
        return
      }
      const got = events.map(({ id, subject }) => ({ id, subject }))
      const expected = missing.map(({ id, subject }) => ({ id, subject }))
      // What a slow writer may still bring holds up what comes after it.
      expect(got).toEqual(slow ? expected.slice(0, got.length) : expected)
      for (const { subject } of events) reader.seen.add(subject)
    },

    async prune({ count, which }: { count: number; which: number }) {
      const store = await process(which)
      const newest = Math.max(slow ? places : 0, committed.at(-1)?.place ?? 0)
      const isByAge = which % 2 === 0
      const limits = isByAge
        ? { eventsKeptMs: count * eventMs, eventsKeptMax: 1_000 }
        : { eventsKeptMs: 1e12, eventsKeptMax: count * 2 }
      const keep = { ...limits, deadLettersKeptMs: 1e12, deadLettersKeptMax: 100 }
      const before = new Set((await stored()).map(({ id }) => id))
      let rounds = 0
      for (let more = 1; more > 0 && rounds < 10; rounds += 1) {
        more = await store.commit((session) => session.pruneEvents(keep, time))
      }
      expect(rounds).toBeLessThan(10)
      const after = new Set((await stored()).map(({ id }) => id))
      const stays = ({ occurredAt, place }: Committed) =>
        occurredAt >= time - limits.eventsKeptMs && newest - place < limits.eventsKeptMax
      const last = committed.at(-1)
      const staying = committed.filter((event) => event === last || stays(event)).filter(({ id }) => before.has(id))
      expect(staying.filter(({ id }) => !after.has(id))).toEqual([])
      // All others go, unless a receiver waits for one of them, or a writer for its turn.
      if (!hasReceiver && !slow) expect(after.size).toBe(staying.length)
    },

    async deliver() {
      if (!hasReceiver) return
      const store = await process(0)
      for (let due = await turn(store, 'hook'); due && due.length > 0; ) {
        for (const { subjectId } of due) received.add(subjectId)
        due = await turn(store, 'hook', { tried: delivered(due) })
      }
      if (!slow) expect(committed.filter(({ subject }) => !received.has(subject))).toEqual([])
    },

    restart: ({ which }: { which: number }) => stop(which % processes.length),
    copy: async () => void copies.push(await copyNow()),
    /** A failover that loses nothing. */
    failover: async () => putBack(await copyNow(), 'standby'),
    standby: ({ which }: { which: number }) => putBack(copies[which % Math.max(1, copies.length)], 'standby'),
    dump: ({ which }: { which: number }) => putBack(copies[which % Math.max(1, copies.length)], 'dump'),
    [Symbol.asyncDispose]: quiet,
  }
  return steps
}
