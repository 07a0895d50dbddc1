// Units share transactions, and so their round trips and their sync: those of one relayer always, those of several while the
// database is busy.
//
// A relayer's row is locked before anything else, and a transaction of several relayers takes only locks that are free. So of
// two processes with units for one relayer each waits for the other once, at its first statement, and never with locks in
// hand: its transactions, counts and sequences need no order.
import type { Pool } from 'pg'
import type { RelayerId } from '../../domain/ids.ts'
import { nextTurn } from '../../ops/clock.ts'
import type { Ahead, Session, Store } from '../store.ts'
import { type Committed, commitGroup } from './commit-group.ts'
import { poolLimits } from './connect.ts'
import type { ReportOutcome, Unit, UnitOfRelayer } from './run-unit.ts'
import type { Doubts } from './settle-doubt.ts'
import type { SettledEvents } from './settled-events.ts'
import { openWaitingUnits } from './waiting-units.ts'

/** Transactions of several relayers at once. More of them would be smaller, and each costs the same round trips. */
const sharedMax = 2
/** Transactions of one relayer: the shared ones keep their connections. */
const aloneMax = poolLimits.writersMax - sharedMax
/** Answers given in one turn of the event loop: messages of the server are read in between. */
const answersAtOnce = 24

export interface Lanes {
  /** Resolves when the unit is durable. Units of one relayer are run in the order of their calls. */
  commit: Store['commit']
  /** Lets what is waiting finish; further units are refused. */
  close(): Promise<void>
}

export function openLanes(pool: Pool, events: SettledEvents, doubts: Doubts): Lanes {
  const waiting = openWaitingUnits()
  const running = new Set<Promise<void>>()
  /** How many transactions are under way. */
  let shared = 0
  let alone = 0
  let isBeginning = false
  let answered: Promise<void> = Promise.resolve()
  let closed = false

  function follow(work: Promise<void>): void {
    running.add(work)
    work.finally(() => running.delete(work))
  }

  /** Begins after a turn of the event loop: requests whose bytes are there already join the transaction. */
  function beginSoon(): void {
    if (isBeginning) return
    isBeginning = true
    setImmediate(() => {
      isBeginning = false
      begin()
    })
  }

  /** Returns whether any transaction began. */
  function begin(): boolean {
    const before = running.size
    while (alone < aloneMax) {
      const units = waiting.takeAlone()
      if (units.length === 0) break
      follow(run(units, false))
    }
    while (shared < sharedMax) {
      const units = waiting.takeShared()
      if (units.length === 0) break
      // A relayer that comes while nothing is under way waits for its lock at once: a second try would cost it a round trip.
      follow(run(units, shared + alone > 0 || units.some(({ relayer }) => relayer !== units[0]?.relayer)))
    }
    return running.size > before
  }

  async function run(units: readonly UnitOfRelayer[], isShared: boolean): Promise<void> {
    if (isShared) shared += 1
    else alone += 1
    const committed = await commitGroup({ pool, events, units, isShared })
    waiting.release(units, committed.left)
    if (isShared) shared -= 1
    else alone -= 1
    const goesOn = begin()
    // Lane and relayers are free while the fate of a COMMIT without an answer is read.
    const outcomes = await outcomesOf(committed, units, doubts)
    const before = answered
    answered = (async () => {
      await before
      // The callers continue for a while: the server has the next transactions by then.
      if (goesOn) await nextTurn()
      await answerAll(outcomes)
    })()
    await answered
  }

  return {
    commit<T>(unit: (session: Session) => Promise<T>, relayer?: RelayerId, ahead: Ahead = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('the store is closed'))
      return new Promise<T>((resolve, reject) => {
        // A unit's result returns to its caller: nothing in between has its type.
        const fresh = { ahead, run: unit, done: resolve as (value: unknown) => void, failed: reject }
        if (relayer === undefined) {
          const committing = commitGroup({ pool, events, units: [fresh], isShared: false })
          follow(committing.then((committed) => outcomesOf(committed, [fresh], doubts)).then(answerAll))
          return
        }
        waiting.add({ ...fresh, relayer })
        beginSoon()
      })
    },
    async close() {
      closed = true
      while (!waiting.isEmpty() || running.size > 0) {
        await Promise.all(running)
        await nextTurn()
      }
    },
  }
}

async function outcomesOf<U extends Unit>(
  { outcomes, left, doubt }: Committed<U>,
  units: readonly U[],
  doubts: Doubts,
): Promise<readonly ReportOutcome[]> {
  if (!doubt) return outcomes
  const fate = await doubts.fateOf(doubt)
  if (fate === 'committed') return outcomes
  const error = fate === 'aborted' ? doubt.cause : doubt
  return units.filter((unit) => !left.includes(unit)).map((unit) => () => unit.failed(error))
}

async function answerAll(answers: readonly ReportOutcome[]): Promise<void> {
  for (const [index, answer] of answers.entries()) {
    if (index > 0 && index % answersAtOnce === 0) await nextTurn()
    answer()
  }
}
