// Notices that the address leads to another server. Sessions that are open stay where they are when an address moves, so a replica
// would go on working on a server that a failover left behind. A new session each few seconds shows where the address leads, and
// one on a later timeline ends all others. The sessions that are open are checked as often.
import type { Clock } from '../../ops/clock.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Secret } from '../../ops/secret.ts'
import { openDirectSession } from './direct-session.ts'
import { type KnownServer, UnfitServer } from './known-server.ts'

const everyMs = 5_000

interface WatchedAddress {
  readonly url: Secret
  readonly server: KnownServer
  readonly clock: Clock
  readonly logger: Logger
}

export function watchAddress({ url, server, clock, logger }: WatchedAddress): AsyncDisposable {
  const closing = new AbortController()
  const outage = loggingOutage(logger, {
    began: 'the address of the database leads to a server that can’t be used; sessions that are open go on',
    over: 'the address of the database leads to the primary again',
    level: 'warn',
  })

  async function look(): Promise<void> {
    // Not waited for: a server that hangs answers late, or never.
    void server.check()
    try {
      const session = await openDirectSession(url, server, [])
      session.end()
      outage.worked()
    } catch (error) {
      // A server that is down or full is noticed by all that works on it.
      if (error instanceof UnfitServer) outage.failed(error)
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      await clock.sleep(everyMs, closing.signal)
      if (closing.signal.aborted) return
      await look()
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      await running
    },
  }
}
