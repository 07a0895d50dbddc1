// Hints over NOTIFY, on a connection of their own: inside a transaction of ours a NOTIFY would make all commits of the
// server wait for each other. Hints that arrive while one is under way go out with the next.
import { backOff, type Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ProcessStates } from '../../ops/process-states.ts'
import type { Secret } from '../../ops/secret.ts'
import { late, within } from '../../ops/within.ts'
import type { Hint, Hints } from '../hints.ts'
import { type DirectSession, openDirectSession } from './direct-session.ts'
import { hintsIn, missedHints, openPendingHints } from './hint-messages.ts'
import { type KnownServer, openKnownServer } from './known-server.ts'
import type { Lines } from './lines.ts'
import { openMessageSeal, type SealMessages } from './seal-messages.ts'

/** A silent connection gets a query now and then: a mere listener would not notice that it is broken. */
const speakEveryMs = 5_000
/** PostgreSQL itself warns from this share of its queue on. Full, it refuses every NOTIFY of all its databases. */
const fullShare = 0.5

interface PostgresHints extends SealMessages {
  readonly url: Secret
  readonly clock: Clock
  readonly logger: Logger
  readonly lines?: Lines
  readonly server?: KnownServer
  readonly states?: Pick<ProcessStates, 'set'>
  /** The share of the server's queue of notifications from which it counts as full. */
  readonly fullFrom?: number
}

/** Connects in the background, and again whenever the connection breaks. */
export function openPostgresHints(options: PostgresHints): Hints {
  const { url, clock, logger, lines, server = openKnownServer() } = options
  const closing = new AbortController()
  const listeners = new Set<(hint: Hint) => void>()
  const [pending, messages] = [openPendingHints(), openMessages(options, hear)]
  const measureQueue = watchQueue(options)
  let session: DirectSession | undefined
  let sending = false
  let giveUpSilent: (() => void) | undefined

  async function run(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      try {
        const opened = await openDirectSession(url, server, ['SET synchronous_commit = off'])
        failures = 0
        giveUpSilent?.()
        giveUpSilent = undefined
        await follow(opened)
      } catch (error) {
        logger.debug({ err: error }, 'hints of other replicas are not heard at the moment')
      }
      const rest = backOff(failures)
      failures += 1
      await clock.sleep(rest, closing.signal)
    }
  }

  async function follow(opened: DirectSession): Promise<void> {
    const { client, ended } = opened
    const stop = AbortSignal.any([ended, closing.signal])
    try {
      client.on('notification', ({ payload = '' }) => messages.receive(opened, payload))
      await client.query(`LISTEN ${channelOf(opened)}`)
      session = opened
      // Hints from before the subscription are made up for.
      hear(missedHints)
      void flush()
      while (!stop.aborted) {
        await clock.sleep(speakEveryMs, stop)
        if (!stop.aborted) await answered(measureQueue(client), stop)
      }
    } finally {
      session = undefined
      opened.end()
    }
  }

  /** Rejects where the answer does not come: a line that was cut says nothing by itself. */
  async function answered(question: Promise<unknown>, stop: AbortSignal): Promise<void> {
    if ((await within(clock, speakEveryMs, () => question, stop)) !== late) return
    giveUpSilent ??= lines?.doubt()
    throw new Error('the server does not answer')
  }

  function hear(hints: readonly Hint[]): void {
    for (const hint of hints) for (const listener of listeners) listener(hint)
  }

  async function flush(): Promise<void> {
    if (sending) return
    sending = true
    try {
      while (session && !closing.signal.aborted && !pending.isEmpty()) {
        await messages.send(session, pending.take())
      }
    } catch (error) {
      logger.debug({ err: error }, 'a hint was not told; others find out by themselves')
      session?.end()
    } finally {
      sending = false
    }
  }

  const running = run()
  return {
    notify(hint) {
      pending.add(hint)
      void flush()
    },
    listen(listener, signal) {
      if (signal.aborted) return
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await running
    },
  }
}

/** The result asks the server how full its queue of notifications is. */
function watchQueue({ logger, states, fullFrom = fullShare }: PostgresHints) {
  let wasFull = false
  return async (client: DirectSession['client']): Promise<void> => {
    const { rows } = await client.query<{ used: number }>('SELECT pg_notification_queue_usage() AS used')
    const used = rows[0]?.used ?? 0
    const isFull = used >= fullFrom
    const message = 'the queue of notifications fills: a session that listens is in a long transaction'
    if (isFull && !wasFull) logger.warn({ used }, message)
    wasFull = isFull
    states?.set('notify_queue_full', isFull)
  }
}

/** Messages on their way between hints and the channel. */
function openMessages(options: PostgresHints, hear: (hints: readonly Hint[]) => void) {
  const { seal, open } = openMessageSeal(options)
  return {
    async send(session: DirectSession, json: string): Promise<void> {
      const channel = channelOf(session)
      await session.client.query('SELECT pg_notify($1, $2)', [channel, seal(json, channel)])
    },
    receive(session: DirectSession, payload: string): void {
      const message = open(payload, channelOf(session))
      // Any role may have sent one that is not sealed. What is new is found at the next look, as after a hint that was lost.
      if (message !== undefined) hear(hintsIn(message))
    },
  }
}

function channelOf({ schema }: DirectSession): string {
  return `rescind_${schema}`
}
