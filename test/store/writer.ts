// A process that writes until it is killed: it tells each id only once its commit has resolved.
import { writeSync } from 'node:fs'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { by, now, someAttempt, someRelayer } from '../domain/some.ts'
import { freshId, sendWithin } from './contract.ts'
import { quiet } from './open-store.ts'

// A path of SQLite's, or a URL.
const [place = '', id = ''] = process.argv.slice(2)
const relayerId = id as RelayerId
const around = { clock: systemClock, logger: quiet }
const store = place.startsWith('postgres:')
  ? await openPostgresStore({ url: secretUrl(new URL(place)), ...around })
  : await openSqliteStore({ path: place, ...around })
await store.commit((session) => session.saveRelayer(someRelayer({ id: relayerId })))
writeSync(1, 'open\n')

/** A row, an attempt, an event and two counts in one unit: half of it would show. */
async function write(): Promise<void> {
  for (;;) {
    const sent = await store.commit(async (session) => {
      const queued = await sendWithin(session, relayerId, { id: `${process.pid}-${freshId()}` as TransactionId })
      const attempt = someAttempt(queued.sequence, { transactionId: queued.id })
      const bound = { nonce: queued.sequence, attempts: [attempt] as const, inclusion: by(attempt) }
      const lifecycle = { phase: 'final', ...bound, finalAt: now, witnesses: 1 } as const
      return session.saveTransaction(queued, { ...queued, lifecycle }, now)
    }, relayerId)
    writeSync(1, `stored ${sent.sequence}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, write))
