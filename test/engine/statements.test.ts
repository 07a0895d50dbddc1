// What one send and one DELETE cost the database, from the request until the outcome is final, and how many answers of a PostgreSQL
// requests and steps await one after the other. A change that costs more has to change a number here; a change that costs less
// lowers it.
import { expect, test } from 'vitest'
import { openQueueRooms } from '../../src/commands/queue-room.ts'
import { cancelTransaction } from '../../src/commands/transactions/cancel.ts'
import { cancelPending } from '../../src/commands/transactions/cancel-pending.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import type { Attempt } from '../../src/domain/attempt.ts'
import type { ApiKeyId, TransactionId } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import type { OwnerMemory } from '../../src/engine/step.ts'
import { serverVariable } from '../../tooling/tested-database.ts'
import { type RunStatement, watchStatements } from '../../tooling/watch-statements.ts'
import { by, headAt, height, someObservation, somePolicy } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, request, step } from './workplace.ts'

const database = process.env[serverVariable] === undefined ? 'sqlite' : 'postgres'
const requester = { keyId: 'client' as ApiKeyId, operation: 'sendTransaction', requestId: 'request', address: '::1' }

test('a send, from its POST until it is confirmed and final', async () => {
  await using scene = await openScene()
  const id = await scene.send()
  await scene.look()
  await scene.mine(id, 'execute')
  await scene.finalize(id, 'execute')
  expect(scene.cost()).toEqual(
    onDatabase({
      sqlite: {
        statements: { begin: 8, select: 22, insert: 15, update: 7, commit: 8 },
        rows: {
          transactions: 5,
          attempts: 1,
          outbox: 4,
          tallies: 11,
          figures: 2,
          daily_spend: 1,
          relayers: 1,
          audit_log: 1,
          'triggers of audit_log': 1,
        },
      },
      postgres: { statements: { begin: 8, select: 38, insert: 15, update: 5, commit: 8 } },
    }),
  )
  expect(statusOf(await scene.place.read(id))).toBe('confirmed')
})

test('a DELETE of a queued transaction', async () => {
  await using scene = await openScene()
  const id = await scene.send()
  scene.forget()
  await scene.cancel(id)
  expect(scene.cost()).toEqual(
    onDatabase({
      sqlite: {
        statements: { begin: 1, select: 1, insert: 4, update: 1, commit: 1 },
        rows: {
          transactions: 1,
          outbox: 1,
          tallies: 3,
          figures: 1,
          audit_log: 1,
          'triggers of audit_log': 1,
        },
      },
      postgres: { statements: { begin: 1, select: 6, insert: 4, update: 1, commit: 1 } },
    }),
  )
  expect(statusOf(await scene.place.read(id))).toBe('canceled')
})

test('a DELETE of a transaction in flight, until its no-op is final', async () => {
  await using scene = await openScene()
  const id = await scene.send()
  await scene.look()
  scene.forget()
  await scene.cancel(id)
  await scene.look()
  await scene.mine(id, 'cancel')
  await scene.finalize(id, 'cancel')
  expect(scene.cost()).toEqual(
    onDatabase({
      sqlite: {
        statements: { begin: 8, select: 25, insert: 8, update: 8, commit: 8 },
        rows: {
          transactions: 5,
          attempts: 1,
          outbox: 2,
          tallies: 3,
          figures: 2,
          daily_spend: 1,
          relayers: 1,
          audit_log: 1,
          'triggers of audit_log': 1,
        },
      },
      postgres: { statements: { begin: 8, select: 41, insert: 8, update: 6, commit: 8 } },
    }),
  )
  expect(statusOf(await scene.place.read(id))).toBe('canceled')
})

test('the answers that requests and steps await one after the other', async () => {
  await using scene = await openScene({ maxInFlight: many })
  // What a process reads once.
  await scene.cancel(await scene.send())
  await scene.look()
  scene.forget()

  const queued = await scene.send()
  expect(scene.rounds(), 'a POST').toBe(answers(2))
  await scene.cancel(queued)
  expect(scene.rounds(), 'a DELETE of a queued transaction').toBe(answers(2))
  const ids = await Promise.all(Array.from({ length: many }, scene.send))
  scene.rounds()
  // Two to load, two to record before the broadcasts, two to record their answers.
  await scene.look()
  expect(scene.rounds(), 'a step that sends 200').toBe(answers(6))
  await scene.cancel(ids[0] as TransactionId)
  expect(scene.rounds(), 'a DELETE of a transaction in flight').toBe(answers(2))
  await scene.cancelPending()
  expect(scene.rounds(), 'a bulk DELETE of 199 in flight').toBe(answers(5))
  await scene.look()
  expect(scene.rounds(), 'a step that sends 200 no-ops').toBe(answers(6))
  for (const id of ids) {
    const { lifecycle } = await scene.place.readAs(id, 'inFlight')
    expect(lifecycle.attempts.map(({ kind }) => kind)).toEqual(['execute', 'cancel'])
  }
})

const many = 200

/** SQLite runs in the process, so nothing waits for it. */
const answers = (onPostgres: number) => (database === 'postgres' ? onPostgres : 0)

interface Cost {
  readonly statements: Readonly<Record<string, number>>
  readonly rows?: Readonly<Record<string, number>>
}

/** The same tests run on both databases. */
const onDatabase = (of: Readonly<Record<'sqlite' | 'postgres', Cost>>) => of[database]

/** Statements by verb; rows by table on SQLite, those that triggers wrote under the table of the statement. */
function costOf(ran: readonly RunStatement[]): Cost {
  const statements: Record<string, number> = {}
  const rows: Record<string, number> = {}
  for (const { verb, table, rows: own, triggeredRows } of ran) {
    statements[verb] = (statements[verb] ?? 0) + 1
    if (table !== undefined && own > 0) rows[table] = (rows[table] ?? 0) + own
    if (triggeredRows > 0) rows[`triggers of ${table}`] = (rows[`triggers of ${table}`] ?? 0) + triggeredRows
  }
  return database === 'postgres' ? { statements } : { statements, rows }
}

/** An owner that looks once after each change, and a client with an API key. */
async function openScene(policies: Partial<Policies> = {}) {
  const place = await openWorkplace(policies)
  const { chain, relayer } = place
  const commands = { ...place.commands, queueRooms: openQueueRooms(2 * many) }
  const ownership = await place.own()
  const ran: RunStatement[] = []
  const watched = watchStatements((statement) => ran.push(statement))
  let carried: OwnerMemory = nothingUnknown
  const look = async () => {
    carried = (await step(place.context, ownership, carried, noneHanging)).carried
  }
  /** Its reads are no part of the cost. */
  const inclusionOf = async (id: TransactionId, kind: Attempt['kind']) => {
    const before = ran.length
    const attempts = await place.under.store.reads.attempts(id)
    ran.length = before
    const attempt = attempts.find((each) => each.kind === kind)
    if (!attempt) throw new Error(`${id} has no attempt to ${kind}`)
    return by(attempt)
  }
  return {
    place,
    look,
    forget: () => void ran.splice(0),
    cost: () => costOf(ran),
    /** The rounds of the statements since it was called before, or since `forget`. */
    rounds() {
      const rounds = ran.splice(0).flatMap(({ round }) => round ?? [])
      return rounds.length === 0 ? 0 : Math.max(...rounds) - Math.min(...rounds) + 1
    },
    send: async () => (await submitTransaction(commands, relayer.id, request, requester)).id,
    cancel: (id: TransactionId) => cancelTransaction(commands, relayer.id, id, requester),
    cancelPending: () => cancelPending(commands, relayer.id, requester),
    async mine(id: TransactionId, kind: Attempt['kind']) {
      chain.view = someObservation({ nonce: 1, inclusions: new Map([[0, await inclusionOf(id, kind)]]) })
      await look()
    },
    async finalize(id: TransactionId, kind: Attempt['kind']) {
      const { block } = await inclusionOf(id, kind)
      const head = headAt(height + somePolicy.requiredConfirmations - 1)
      chain.view = someObservation({ nonce: 1, head, canonical: new Map([[block.number, block.hash]]) })
      await look()
    },
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
