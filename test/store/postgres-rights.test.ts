// Readiness and rights: whichever right on whichever table is missing, a service that refuses cancellations is not ready.
import { expect, test } from 'vitest'
import { cancelTransaction } from '../../src/commands/transactions/cancel.ts'
import { cancelPending } from '../../src/commands/transactions/cancel-pending.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someAttempt } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const requester = {
  keyId: 'key' as ApiKeyId,
  address: '192.0.2.1',
  requestId: 'request',
  operation: 'cancelTransaction',
}
/** The engine signs a no-op only after the answer; and readiness writes a row of its own. */
const ofNoAnswer = ['INSERT ON attempts', 'SELECT ON probe', 'INSERT ON probe', 'UPDATE ON probe']

/** Cancels one that waits, one in flight, and everything pending. */
async function canceling(store: Store, relayer: RelayerId, nonce: number): Promise<() => Promise<unknown>> {
  const [first, second] = [await send(store, relayer), await send(store, relayer)]
  const attempts = [someAttempt(nonce, { transactionId: second.id })] as const
  const inFlight = { ...second, lifecycle: { phase: 'inFlight', nonce, attempts } } as const
  await store.commit((session) => session.saveTransaction(second, inFlight, now), relayer)
  await send(store, relayer)
  const context = {
    ...{ store, clock: systemClock, random: systemRandom(), wake: () => undefined },
    ...{ queueRooms: undefined as never, profileOf: () => undefined },
  }
  return async () => {
    for (const { id } of [first, second]) await cancelTransaction(context, relayer, id, requester)
    await cancelPending(context, relayer, requester)
  }
}

const isFine = (work: () => Promise<unknown>) =>
  work().then(
    () => true,
    () => false,
  )

test('a service is ready exactly where its user may cancel, whatever right is missing', async () => {
  const postgres = await server()
  const url = new URL(await postgres.database())
  const query = <Row>(sql: string) => postgres.query<Row>(sql, url.pathname.slice(1))
  await using store = await openPostgresStore({ url: secretUrl(url), clock: systemClock, logger: quiet })
  const { id } = await storedRelayer(store)
  const tables = await query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
  const rights = tables.flatMap(({ name }) =>
    ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((each) => `${each} ON ${name}`),
  )
  const found: Record<string, { cancels: boolean; isReady: boolean }> = {}
  const expected: typeof found = {}
  for (const [nonce, right] of rights.entries()) {
    const cancel = await canceling(store, id, nonce)
    await query(`REVOKE ${right} FROM rescind`)
    const [isReady, cancels] = [await isFine(() => store.check()), await isFine(cancel)]
    await query(`GRANT ${right} TO rescind`)
    found[right] = { cancels, isReady }
    expected[right] = { cancels, isReady: cancels && !ofNoAnswer.includes(right) }
  }
  expect(found).toEqual(expected)
})
