// Runs one unit of a group: bare at first, and with a savepoint of its own where a unit of its group failed.
import type { RelayerId } from '../../domain/ids.ts'
import type { Deferred } from '../deferred.ts'
import type { Ahead, Session } from '../store.ts'
import type { Writing } from './executor.ts'
import { isConnectionLost, isOfDatabase, runsAgain } from './failure.ts'

export interface Unit {
  /** The relayer that the unit locks; absent if it locks none. */
  readonly relayer?: RelayerId
  readonly ahead: Ahead
  run(session: Session): Promise<unknown>
  done(value: unknown): void
  failed(error: unknown): void
}

export interface UnitOfRelayer extends Unit {
  readonly relayer: RelayerId
}

/** Reports to a unit's caller. */
export type ReportOutcome = () => void

/** Returns how to report to the unit's caller, once its transaction is durable. */
export type RunUnit = (unit: Unit, session: Session, writing: Writing, deferred: Deferred) => Promise<ReportOutcome>

/**
 * How often a transaction that the server gave up for another's sake is run. Each time another one went on, so fewer tries than
 * transactions that lock the same rows in different orders (a pool writes eight at once) fail one that only had bad luck.
 */
const triesMax = 16

/** A unit failed after it wrote: what it wrote is still there. */
export class UnitFailed extends Error {
  override readonly name = 'UnitFailed'
}

/** Most units that fail have only read, and leave nothing to undo: no unit pays for the few that have written. */
export async function runUnit(
  unit: Unit,
  session: Session,
  writing: Writing,
  deferred: Deferred,
): Promise<ReportOutcome> {
  const before = writing.writes
  try {
    const value = await unit.run(session)
    deferred.keep()
    return () => unit.done(value)
  } catch (cause) {
    if (writing.writes > before) throw new UnitFailed('a unit failed after it wrote', { cause })
    deferred.forget()
    return () => unit.failed(cause)
  }
}

export async function runSavedUnit(
  unit: Unit,
  session: Session,
  writing: Writing,
  deferred: Deferred,
): Promise<ReportOutcome> {
  writing.send('SAVEPOINT unit')
  // What was sent before it and failed is the transaction's, not the unit's.
  await writing.settled()
  try {
    const value = await unit.run(session)
    await writing.settled()
    writing.send('RELEASE unit')
    deferred.keep()
    return () => unit.done(value)
  } catch (error) {
    if (isConnectionLost(error) || runsAgain(error)) throw error
    await writing.forgive()
    writing.send('ROLLBACK TO unit; RELEASE unit')
    await writing.settled()
    deferred.forget()
    return () => unit.failed(error)
  }
}

/** How a transaction that failed is run again; undefined where the error is its outcome. `tries` counts those so far. */
export function howAgain(error: unknown, each: RunUnit, tries: number): RunUnit | undefined {
  // What fails takes its transaction with it: each unit gets a place to go back to, and all of them run again.
  if (each === runUnit && !isOfDatabase(error)) return runSavedUnit
  return tries < triesMax && runsAgain(error) ? runSavedUnit : undefined
}
