// What became of a transaction whose COMMIT got no answer: a new session on the same server reads it there. A look for its rows would prove
// nothing, as the COMMIT may still be on its way.
import type { Clock } from '../../ops/clock.ts'
import type { Secret } from '../../ops/secret.ts'
import { late, within } from '../../ops/within.ts'
import { poolLimits, probe } from './connect.ts'
import { openDirectSession } from './direct-session.ts'
import type { CommitInDoubt } from './failure.ts'
import type { KnownServer } from './known-server.ts'

/** The caller waits for its answer meanwhile. */
const patienceMs = 5_000
const pauseMs = 250
/** Each has a connection of its own. */
const doubtsMax = poolLimits.writersMax

type Fate = 'committed' | 'aborted' | 'unknown'

export interface Doubts {
  /** Never rejects. */
  fateOf(doubt: CommitInDoubt): Promise<Fate>
}

interface Deciding {
  readonly url: Secret
  readonly server: KnownServer
  readonly clock: Clock
  /** Nothing is waited for any more. */
  readonly stop: AbortSignal | undefined
}

export function openDoubts({ url, server, clock, stop }: Deciding): Doubts {
  let open = 0

  /** Undefined while the server has not decided. */
  async function read({ client, transaction }: CommitInDoubt, over: AbortSignal): Promise<Fate | undefined> {
    const session = await openDirectSession(url, server, [], over)
    try {
      if (server.placeOf(session.client) !== server.placeOf(client)) return 'unknown'
      const sql = 'SELECT pg_xact_status($1::xid8) AS status'
      const { rows } = await session.client.query<{ status: string | null }>(sql, [transaction])
      const status = rows[0]?.status
      if (status === 'in progress') return undefined
      if (status !== 'committed') return status === 'aborted' ? status : 'unknown'
      // A session that is ended while it waits for a synchronous standby leaves its transaction committed. What is durable after it
      // is so only with it.
      await session.client.query(probe, [clock.now()])
      return status
    } finally {
      session.end()
    }
  }

  async function decide(doubt: CommitInDoubt, over: AbortSignal): Promise<Fate> {
    for (;;) {
      const fate = await read(doubt, over).catch(() => undefined)
      if (fate || over.aborted) return fate ?? 'unknown'
      await clock.sleep(pauseMs, over)
    }
  }

  return {
    async fateOf(doubt) {
      if (doubt.transaction === undefined || open >= doubtsMax) return 'unknown'
      open += 1
      const fate = await within(clock, patienceMs, (over) => decide(doubt, over), stop)
      open -= 1
      return fate === late ? 'unknown' : fate
    },
  }
}
