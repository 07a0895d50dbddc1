// Commits a group of units in one transaction, which locks their relayers first; runs it again where that may help.
import type { Client, Pool } from 'pg'
import { openAuditPad } from '../access/audit-log.ts'
import { together } from '../deferred.ts'
import { raiseRevision } from '../registry/entities.ts'
import { lockFreeRelayers, lockRelayer } from '../relayers/relayers.ts'
import { sessionOver } from '../session.ts'
import type { Executor } from '../statement.ts'
import { openTallies } from '../transactions/counted/tallies.ts'
import { openTallyChanges, unfoldedOf } from '../transactions/counted/tally-changes.ts'
import { findTransactions } from '../transactions/rows/find-transaction.ts'
import { findClaims } from '../transactions/written/claim.ts'
import { canStand, type Writing, writingExecutor } from './executor.ts'
import { CommitInDoubt } from './failure.ts'
import { openGathering } from './gather.ts'
import { ofLockedRelayer } from './locked-relayer.ts'
import { howAgain, type ReportOutcome, type RunUnit, runUnit, type Unit, UnitFailed } from './run-unit.ts'
import type { SettledEvents } from './settled-events.ts'
import { withConnection } from './snapshot.ts'

interface Group<U extends Unit> {
  readonly pool: Pool
  readonly events: SettledEvents
  readonly units: readonly U[]
  /** The group may have units of several relayers. It waits for no other process, and no caller waits for another one's failure. */
  readonly isShared: boolean
}

export interface Committed<U extends Unit> {
  /** How to report to the callers, in the order of their units. */
  readonly outcomes: readonly ReportOutcome[]
  /** Units of a shared group whose relayers another process has locked, or all units of one that failed: none of it is stored. */
  readonly left: readonly U[]
  /** The outcomes are true only if the transaction is committed. */
  readonly doubt?: CommitInDoubt
}

/** Never rejects. */
export async function commitGroup<U extends Unit>(group: Group<U>): Promise<Committed<U>> {
  let each: RunUnit = runUnit
  for (let tries = 1; ; tries += 1) {
    const written: Written<U> = { outcomes: [], left: [] }
    try {
      await commitOnce(group, each, written)
      return written
    } catch (thrown) {
      if (thrown instanceof CommitInDoubt) return { ...written, doubt: thrown }
      const error = thrown instanceof UnitFailed ? thrown.cause : thrown
      const again = howAgain(error, each, tries)
      if (!again) return { outcomes: group.units.map((unit) => () => unit.failed(error)), left: [] }
      if (group.isShared) return { outcomes: [], left: group.units }
      each = again
    }
  }
}

/** What the transaction under way makes of its units. */
interface Written<U extends Unit> {
  readonly outcomes: ReportOutcome[]
  readonly left: U[]
}

async function commitOnce<U extends Unit>(group: Group<U>, each: RunUnit, written: Written<U>): Promise<void> {
  await withConnection(group.pool, async (client) => {
    try {
      await inTransaction(client, group, each, written)
    } catch (error) {
      // Where even that fails the connection is gone, and its transaction with it.
      if (!(error instanceof CommitInDoubt)) await client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
}

async function inTransaction<U extends Unit>(
  client: Client,
  { units, events, isShared }: Group<U>,
  each: RunUnit,
  { outcomes, left }: Written<U>,
): Promise<void> {
  // Run one by one, the failing unit shows its own error.
  const writing = writingExecutor(client, each === runUnit ? openGathering() : undefined)
  // Without READ WRITE: a server that became read-only, as some do when their disk fills up, stays so.
  writing.send('BEGIN ISOLATION LEVEL READ COMMITTED')
  // Run one by one, each unit reads for itself: the shared reads may be the reason for the failure.
  const { sessionOf, deferred } = await openUnits(writing, units, {
    events,
    isShared,
    readsAhead: each === runUnit,
  })
  for (const unit of units) {
    const session = sessionOf(unit)
    if (session) outcomes.push(await each(unit, session, writing, deferred))
    else left.push(unit)
  }
  await deferred.write()
  await writing.commit()
}

/** There is no such relayer. The server refuses even to look for an id with U+0000. */
const withoutRelayer = { reserveSequence: async () => undefined, reserveSequences: async () => undefined }

interface Opening {
  readonly events: SettledEvents
  readonly isShared: boolean
  readonly readsAhead: boolean
}

async function openUnits(writing: Writing, units: readonly Unit[], { events, isShared, readsAhead }: Opening) {
  const executor: Executor = {
    all: writing.all,
    change: writing.change,
    settledEvent: () => events.read(writing),
  }
  const appended = openTallyChanges(executor)
  const tallies = openTallies(executor, appended)
  const pad = openAuditPad(executor)
  const session = sessionOver(executor, tallies, pad)
  const relayers = new Set(units.flatMap(({ relayer }) => (relayer === undefined ? [] : [relayer])))
  const [relayer] = relayers
  if (relayer === undefined) {
    writing.identify()
    return { sessionOf: () => session, deferred: together(tallies, pad) }
  }
  // In one order everywhere: a change of a relayer through the API locks the registry first, too.
  if (units.some(({ ahead }) => ahead.registry)) await raiseRevision(executor)
  const reading = readsAhead ? units : []
  const ids = new Set(reading.flatMap(({ ahead: { transactions = [] } }) => transactions).filter(canStand))
  const claimed = reading.flatMap(({ ahead: { claims = [] } }) => claims).filter(({ key }) => canStand(key))
  // After the locks and on their connection: the reads see the commits of the last holders.
  const [rows, , transactions, claims, unfolded] = await Promise.all([
    isShared ? lockFreeRelayers(executor, [...relayers].filter(canStand)) : lockRelayer(executor, relayer),
    // Behind the locks: readers of events would wait for a transaction that has its id and waits for a lock.
    writing.identify(),
    findTransactions(executor, [...ids]),
    claimed.length > 0 ? findClaims(executor, claimed) : new Map<string, undefined>(),
    unfoldedOf(executor, [...relayers].filter(canStand)),
  ])
  // A change that is appended without the lock may become visible after a fold has passed over it.
  appended.holdLocks(
    rows.map(({ id }) => id),
    unfolded,
  )
  const locked = new Map(
    rows.map((row) => {
      const its = [...transactions.values()].filter(({ relayerId }) => relayerId === row.id)
      return [row.id, ofLockedRelayer({ executor, session, tallies, row, transactions: its, claims })]
    }),
  )
  const unlocked = isShared ? undefined : { ...session, ...withoutRelayer }
  return {
    sessionOf: (unit: Unit) => (unit.relayer === undefined ? session : (locked.get(unit.relayer)?.session ?? unlocked)),
    deferred: together(...[...locked.values()].map(({ sequences }) => sequences), tallies, pad),
  }
}
