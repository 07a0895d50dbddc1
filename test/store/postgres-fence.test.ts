// Four ways to write a fence, against an owner of the past whose transaction was open when its successor came. The successor
// raises the epoch, and then reads: what the other commits after that, it never sees, and does once more. Two let that happen.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../http/support/until.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

interface Place extends AsyncDisposable {
  readonly store: Store
  readonly relayer: RelayerId
  /** In the queue: whoever finds it so gives it a nonce. */
  readonly queued: TransactionId
  session(): Promise<pg.Client>
  isWaiting(session: pg.Client): Promise<boolean>
}

/** A relayer of epoch 1, with one transaction. */
async function openPlace(): Promise<Place> {
  const postgres = await server()
  const url = await postgres.database()
  await using pieces = new AsyncDisposableStack()
  const store = pieces.use(await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet }))
  const { id: relayer } = await storedRelayer(store)
  await store.commit((session) => session.acquire(relayer))
  const { id: queued } = await send(store, relayer)
  const everything = pieces.move()
  return {
    store,
    relayer,
    queued,
    async session() {
      const client = new pg.Client(url)
      await client.connect()
      everything.defer(() => client.end())
      return client
    },
    async isWaiting(session) {
      const { processID } = session as unknown as { readonly processID: number }
      const rows = await postgres.query(`SELECT 1 WHERE cardinality(pg_blocking_pids(${processID})) > 0`)
      return rows.length > 0
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

const give = 'UPDATE transactions SET nonce = 7 WHERE id = $1'
const isRow = ({ rowCount }: pg.QueryResult) => rowCount === 1

/** Writes under the epoch, in a transaction that is open; answers whether it was let. */
type Write = (owner: pg.Client, relayer: RelayerId, queued: TransactionId, epoch: number) => Promise<boolean>

const ways: readonly (readonly [string, 'slips' | 'holds', Write])[] = [
  [
    'a read of the epoch',
    'slips',
    async (owner, relayer, queued, epoch) =>
      isRow(await owner.query('SELECT 1 FROM relayers WHERE id = $1 AND epoch = $2', [relayer, epoch])) &&
      isRow(await owner.query(give, [queued])),
  ],
  [
    'EXISTS in the WHERE of what is written',
    'slips',
    async (owner, relayer, queued, epoch) =>
      isRow(
        await owner.query(`${give} AND EXISTS (SELECT 1 FROM relayers WHERE id = $2 AND epoch = $3)`, [
          ...[queued, relayer, epoch],
        ]),
      ),
  ],
  ...['SHARE', 'NO KEY UPDATE'].map(
    (strength) =>
      [
        `SELECT … FOR ${strength} first`,
        'holds',
        async (owner, relayer, queued, epoch) => {
          const select = `SELECT 1 FROM relayers WHERE id = $1 AND epoch = $2 FOR ${strength}`
          return isRow(await owner.query(select, [relayer, epoch])) && isRow(await owner.query(give, [queued]))
        },
      ] as (typeof ways)[number],
  ),
  [
    'an UPDATE of the relayer by its epoch',
    'holds',
    async (owner, relayer, queued, epoch) =>
      isRow(await owner.query('UPDATE relayers SET epoch = epoch WHERE id = $1 AND epoch = $2', [relayer, epoch])) &&
      isRow(await owner.query(give, [queued])),
  ],
]

/** The successor: the epoch is raised and committed, and only then it looks. */
async function takeOver(successor: pg.Client, { relayer, queued }: Place): Promise<number | null> {
  await successor.query('UPDATE relayers SET epoch = epoch + 1 WHERE id = $1', [relayer])
  return nonceOf(successor, queued)
}

async function nonceOf(session: pg.Client, id: TransactionId): Promise<number | null> {
  const { rows } = await session.query<{ nonce: string | null }>('SELECT nonce FROM transactions WHERE id = $1', [id])
  const nonce = rows[0]?.nonce ?? null
  return nonce === null ? null : Number(nonce)
}

test.each(ways)('%s: a transaction that was open %s', async (_, outcome, write) => {
  await using place = await openPlace()
  const [predecessor, successor] = [await place.session(), await place.session()]
  await predecessor.query('BEGIN')
  expect(await write(predecessor, place.relayer, place.queued, 1)).toBe(true)

  const taking = takeOver(successor, place)
  if (outcome === 'holds') await until(() => place.isWaiting(successor))
  else await taking
  await predecessor.query('COMMIT')
  const seen = await taking
  const stored = await nonceOf(successor, place.queued)
  expect({ seen, stored }).toEqual({ seen: outcome === 'slips' ? null : 7, stored: 7 })
})

test.each(ways)('%s: whoever comes after its successor is refused', async (_, _outcome, write) => {
  await using place = await openPlace()
  const [predecessor, successor] = [await place.session(), await place.session()]
  await predecessor.query('BEGIN')
  await takeOver(successor, place)
  expect(await write(predecessor, place.relayer, place.queued, 1)).toBe(false)
  await predecessor.query('COMMIT')
  expect(await nonceOf(successor, place.queued)).toBeNull()
})

test('the fence of the store holds', async () => {
  await using place = await openPlace()
  const { store, relayer } = place
  const successor = await place.session()
  const taking: Promise<unknown>[] = []
  await store.commit(async (session) => {
    await session.fence(relayer, 1n)
    const sent = await session.reserveSequence(relayer)
    if (!sent) throw new Error('no relayer')
    taking.push(takeOver(successor, place))
    await until(async () => {
      // A transaction that says nothing for a few seconds is ended.
      await session.hasOpen(relayer)
      return place.isWaiting(successor)
    })
  }, relayer)
  await Promise.all(taking)
  const { rows } = await successor.query('SELECT epoch, last_sequence FROM relayers WHERE id = $1', [relayer])
  expect(rows).toEqual([{ epoch: '2', last_sequence: '2' }])
})
