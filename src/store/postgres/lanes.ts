// Units of one relayer share a transaction, and so its lock and its sync; those of different relayers run side by side.
//
// The relayer's row is locked before anything else. So of two processes with units for one relayer each waits for the
// other once, at its first statement, and never with locks in hand: its transactions, counts and sequences need no order.
import type { Client, Pool } from 'pg'
import type { RelayerId } from '../../domain/ids.ts'
import { openAuditPad } from '../access/audit-log.ts'
import { type Deferred, together } from '../deferred.ts'
import { lockRelayer } from '../relayers/relayers.ts'
import { sessionOver } from '../session.ts'
import type { Executor } from '../statement.ts'
import type { Ahead, Session, Store } from '../store.ts'
import { findClaims } from '../transactions/claim.ts'
import { findTransactions } from '../transactions/find-transaction.ts'
import { openTallies } from '../transactions/tallies.ts'
import { canStand, type Writing, writingExecutor } from './executor.ts'
import { isConnectionLost, isGivenUp, isOfDatabase } from './failure.ts'
import { openGathering } from './gather.ts'
import { ofLockedRelayer } from './locked-relayer.ts'
import type { SettledEvents } from './settled-events.ts'
import { withConnection } from './snapshot.ts'

/** Units in one transaction: bounds how long the relayer is locked. */
const unitsMax = 128
/** So many are answered in a turn of the event loop: what the server says meanwhile is heard in between. */
const answersAtOnce = 24
/** A transaction that the server gave up for another's sake is run again. */
const triesMax = 4

interface Waiting {
  readonly ahead: Ahead
  run(session: Session): Promise<unknown>
  done(value: unknown): void
  failed(error: unknown): void
}

export interface Lanes {
  /** Resolves when the unit is durable. Units of one relayer are run in the order of their calls. */
  commit: Store['commit']
  /** Lets what is waiting finish; further units are refused. */
  close(): Promise<void>
}

export function openLanes(pool: Pool, events: SettledEvents): Lanes {
  const lanes = new Map<RelayerId, Waiting[]>()
  const running = new Set<Promise<void>>()
  let closed = false

  function follow(work: Promise<void>): void {
    running.add(work)
    work.finally(() => running.delete(work))
  }

  async function drain(relayer: RelayerId, waiting: Waiting[]): Promise<void> {
    // A turn of the event loop first: requests whose bytes are there already join this transaction.
    await new Promise((resolve) => setImmediate(resolve))
    let answered: Promise<void> = Promise.resolve()
    let answers: readonly Answer[] = []
    while (waiting.length > 0) {
      const committing = commitGroup(waiting.splice(0, unitsMax), relayer)
      // What the answers set off takes a while: the server has the next transaction by then.
      answered = answerInOrder(answers, answered)
      answers = await committing
    }
    lanes.delete(relayer)
    await answered
    for (const answer of answers) answer()
  }

  /** Never rejects. What it answers tells whoever waits. */
  async function commitGroup(group: readonly Waiting[], relayer: RelayerId | undefined): Promise<readonly Answer[]> {
    let each: EachUnit = runUnit
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitOnce(group, relayer, each)
      } catch (thrown) {
        const error = thrown instanceof UnitFailed ? thrown.cause : thrown
        // What fails takes its transaction with it: each unit gets a place to go back to, and all of them run again.
        const again = each === runUnit && !isOfDatabase(error)
        if (again || (tries < triesMax && isGivenUp(error))) {
          each = runSavedUnit
          continue
        }
        return group.map((unit) => () => unit.failed(error))
      }
    }
  }

  async function commitOnce(
    group: readonly Waiting[],
    relayer: RelayerId | undefined,
    each: EachUnit,
  ): Promise<readonly Answer[]> {
    return withConnection(pool, async (client) => {
      try {
        return await inTransaction(client, group, relayer, each)
      } catch (error) {
        // Where even that fails the connection is gone, and its transaction with it.
        await client.query('ROLLBACK').catch(() => undefined)
        throw error
      }
    })
  }

  async function inTransaction(
    client: Client,
    group: readonly Waiting[],
    relayer: RelayerId | undefined,
    each: EachUnit,
  ): Promise<readonly Answer[]> {
    // One by one, what fails tells by itself what is wrong with it.
    const writing = writingExecutor(client, each === runUnit ? openGathering() : undefined)
    // A server that is told to be read-only, as some are when their disk fills up, is taken at its word.
    writing.send('BEGIN ISOLATION LEVEL READ COMMITTED')
    // One by one they ask for themselves: what was read for all may be why they failed.
    const ahead = each === runUnit ? group.map((unit) => unit.ahead) : []
    const { session, deferred } = await openUnits(writing, ahead, relayer)
    const answers: Answer[] = []
    for (const unit of group) answers.push(await each(unit, session, writing, deferred))
    await deferred.write()
    await writing.commit()
    return answers
  }

  async function openUnits(writing: Writing, ahead: readonly Ahead[], relayer: RelayerId | undefined) {
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
    // Behind the lock on one connection: what is read is what the last holder of the lock has left.
    const [row, transactions, claims] = await Promise.all([
      lockRelayer(executor, relayer),
      ids.size > 0 ? findTransactions(executor, relayer, [...ids]) : [],
      claimed.length > 0 ? findClaims(executor, claimed) : new Map<string, undefined>(),
    ])
    if (!row) return { session, deferred: together(tallies, pad) }
    const locked = ofLockedRelayer({ executor, session, tallies, row, transactions, claims })
    return { session: locked.session, deferred: together(locked.sequences, tallies, pad) }
  }

  return {
    commit<T>(unit: (session: Session) => Promise<T>, relayer?: RelayerId, ahead: Ahead = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('the store is closed'))
      return new Promise<T>((resolve, reject) => {
        // What a unit answers goes to who gave it: of what type it is, nobody in between knows.
        const waiting: Waiting = { ahead, run: unit, done: resolve as (value: unknown) => void, failed: reject }
        if (relayer === undefined) {
          follow(commitGroup([waiting], undefined).then(([answer]) => answer?.()))
          return
        }
        const lane = lanes.get(relayer)
        if (lane) {
          lane.push(waiting)
          return
        }
        const fresh = [waiting]
        lanes.set(relayer, fresh)
        follow(drain(relayer, fresh))
      })
    },
    async close() {
      closed = true
      await Promise.all(running)
    },
  }
}

/** Tells a unit's caller. */
type Answer = () => void

async function answerInOrder(answers: readonly Answer[], before: Promise<void>): Promise<void> {
  await before
  for (const [index, answer] of answers.entries()) {
    if (index % answersAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    answer()
  }
}

/** Answers how to tell the unit's caller, once its transaction is durable. */
type EachUnit = (unit: Waiting, session: Session, writing: Writing, deferred: Deferred) => Promise<Answer>

/** A unit failed after it wrote: what it wrote is still there. */
class UnitFailed extends Error {
  override readonly name = 'UnitFailed'
}

/** Most units that fail have only read, and leave nothing to undo: no unit pays for the few that have written. */
async function runUnit(unit: Waiting, session: Session, writing: Writing, deferred: Deferred): Promise<Answer> {
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

async function runSavedUnit(unit: Waiting, session: Session, writing: Writing, deferred: Deferred): Promise<Answer> {
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
    if (isConnectionLost(error) || isGivenUp(error)) throw error
    await writing.forgive()
    writing.send('ROLLBACK TO unit; RELEASE unit')
    await writing.settled()
    deferred.forget()
    return () => unit.failed(error)
  }
}
