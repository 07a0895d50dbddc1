// Commits a group of units in one transaction, which locks their relayer first; runs it again where that may help.
import type { Client, Pool } from 'pg'
import type { RelayerId } from '../../domain/ids.ts'
import { openAuditPad } from '../access/audit-log.ts'
import { together } from '../deferred.ts'
import { lockRelayer } from '../relayers/relayers.ts'
import { sessionOver } from '../session.ts'
import type { Executor } from '../statement.ts'
import type { Ahead } from '../store.ts'
import { findClaims } from '../transactions/claim.ts'
import { findTransactions } from '../transactions/find-transaction.ts'
import { openTallies } from '../transactions/tallies.ts'
import { canStand, type Writing, writingExecutor } from './executor.ts'
import { openGathering } from './gather.ts'
import { ofLockedRelayer } from './locked-relayer.ts'
import { howAgain, type ReportOutcome, type RunUnit, runUnit, type Unit, UnitFailed } from './run-unit.ts'
import type { SettledEvents } from './settled-events.ts'
import { withConnection } from './snapshot.ts'

export interface Group {
  readonly pool: Pool
  readonly events: SettledEvents
  readonly units: readonly Unit[]
  /** Of all of them; without, no relayer is locked. */
  readonly relayer: RelayerId | undefined
}

/** Never rejects. Returns how to report to the callers, in the order of their units. */
export async function commitGroup(group: Group): Promise<readonly ReportOutcome[]> {
  let each: RunUnit = runUnit
  for (let tries = 1; ; tries += 1) {
    try {
      return await commitOnce(group, each)
    } catch (thrown) {
      const error = thrown instanceof UnitFailed ? thrown.cause : thrown
      const again = howAgain(error, each, tries)
      if (!again) return group.units.map((unit) => () => unit.failed(error))
      each = again
    }
  }
}

async function commitOnce(group: Group, each: RunUnit): Promise<readonly ReportOutcome[]> {
  return withConnection(group.pool, async (client) => {
    try {
      return await inTransaction(client, group, each)
    } catch (error) {
      // Where even that fails the connection is gone, and its transaction with it.
      await client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
}

async function inTransaction(client: Client, group: Group, each: RunUnit): Promise<readonly ReportOutcome[]> {
  // Run one by one, the failing unit shows its own error.
  const writing = writingExecutor(client, each === runUnit ? openGathering() : undefined)
  // Without READ WRITE: a server that became read-only, as some do when their disk fills up, stays so.
  writing.send('BEGIN ISOLATION LEVEL READ COMMITTED')
  // Run one by one, each unit reads for itself: the shared reads may be the reason for the failure.
  const ahead = each === runUnit ? group.units.map((unit) => unit.ahead) : []
  const { session, deferred } = await openUnits(writing, ahead, group)
  const answers: ReportOutcome[] = []
  for (const unit of group.units) answers.push(await each(unit, session, writing, deferred))
  await deferred.write()
  await writing.commit()
  return answers
}

/** There is no such relayer. The server refuses even to look for an id with U+0000. */
const withoutRelayer = { reserveSequence: async () => undefined, reserveSequences: async () => undefined }

async function openUnits(writing: Writing, ahead: readonly Ahead[], { events, relayer }: Group) {
  const executor: Executor = {
    all: writing.all,
    change: writing.change,
    settledEvent: () => events.read(writing),
  }
  const tallies = openTallies(executor)
  const pad = openAuditPad(executor)
  const session = sessionOver(executor, tallies, pad)
  if (relayer === undefined) return { session, deferred: together(tallies, pad) }
  const ids = new Set(ahead.flatMap(({ transactions = [] }) => transactions).filter(canStand))
  const claimed = ahead.flatMap(({ claims = [] }) => claims).filter(({ key }) => canStand(key))
  // After the lock and on its connection: the reads see the commits of the lock's last holder.
  const [row, transactions, claims] = await Promise.all([
    lockRelayer(executor, relayer),
    ids.size > 0 ? findTransactions(executor, relayer, [...ids]) : [],
    claimed.length > 0 ? findClaims(executor, claimed) : new Map<string, undefined>(),
  ])
  if (!row) return { session: { ...session, ...withoutRelayer }, deferred: together(tallies, pad) }
  const locked = ofLockedRelayer({ executor, session, tallies, row, transactions, claims })
  return { session: locked.session, deferred: together(locked.sequences, tallies, pad) }
}
