// Units of one relayer share a transaction, and so its lock and its sync; those of different relayers run side by side.
//
// The relayer's row is locked before anything else. So of two processes with units for one relayer each waits for the
// other once, at its first statement, and never with locks in hand: its transactions, counts and sequences need no order.
import type { Pool } from 'pg'
import type { RelayerId } from '../../domain/ids.ts'
import type { Ahead, Session, Store } from '../store.ts'
import { commitGroup } from './commit-group.ts'
import type { ReportOutcome, Unit } from './run-unit.ts'
import type { SettledEvents } from './settled-events.ts'

/** Units in one transaction: bounds how long the relayer is locked. */
const unitsMax = 128
/** So many are answered in a turn of the event loop: what the server says meanwhile is heard in between. */
const answersAtOnce = 24
export interface Lanes {
  /** Resolves when the unit is durable. Units of one relayer are run in the order of their calls. */
  commit: Store['commit']
  /** Lets what is waiting finish; further units are refused. */
  close(): Promise<void>
}

export function openLanes(pool: Pool, events: SettledEvents): Lanes {
  const lanes = new Map<RelayerId, Unit[]>()
  const running = new Set<Promise<void>>()
  let closed = false

  function follow(work: Promise<void>): void {
    running.add(work)
    work.finally(() => running.delete(work))
  }

  async function drain(relayer: RelayerId, waiting: Unit[]): Promise<void> {
    // A turn of the event loop first: requests whose bytes are there already join this transaction.
    await new Promise((resolve) => setImmediate(resolve))
    let answered: Promise<void> = Promise.resolve()
    let answers: readonly ReportOutcome[] = []
    while (waiting.length > 0) {
      const committing = commitGroup({ pool, events, units: waiting.splice(0, unitsMax), relayer })
      // What the answers set off takes a while: the server has the next transaction by then.
      answered = answerInOrder(answers, answered)
      answers = await committing
    }
    lanes.delete(relayer)
    await answered
    for (const answer of answers) answer()
  }

  return {
    commit<T>(unit: (session: Session) => Promise<T>, relayer?: RelayerId, ahead: Ahead = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('the store is closed'))
      return new Promise<T>((resolve, reject) => {
        // What a unit answers goes to who gave it: of what type it is, nobody in between knows.
        const waiting: Unit = { ahead, run: unit, done: resolve as (value: unknown) => void, failed: reject }
        if (relayer === undefined) {
          follow(commitGroup({ pool, events, units: [waiting], relayer }).then(([answer]) => answer?.()))
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

async function answerInOrder(answers: readonly ReportOutcome[], before: Promise<void>): Promise<void> {
  await before
  for (const [index, answer] of answers.entries()) {
    if (index % answersAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    answer()
  }
}
