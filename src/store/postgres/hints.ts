// Hints over NOTIFY, on a connection of their own: inside a transaction of ours a NOTIFY would make all commits of the
// server wait for each other. What is told while one is under way goes out with the next.

import type { RelayerId } from '../../domain/ids.ts'
import { backOff } from '../../ops/back-off.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Secret } from '../../ops/secret.ts'
import { late, within } from '../../ops/within.ts'
import type { Hint, Hints } from '../hints.ts'
import { type DirectSession, openDirectSession } from './direct-session.ts'
import type { Lines } from './lines.ts'

/** A payload is shorter than 8,000 bytes. */
const payloadBytesMax = 7_000
/** Relayers that are told of at once: of more, the next look finds out. */
const relayersMax = 10_000
/** Allowances that are told of at once, those first that were used most. */
const allowancesMax = 64
/** A silent line is spoken on now and then: whoever only listens would not notice that nobody speaks. */
const speakEveryMs = 5_000

interface Message {
  readonly work?: readonly RelayerId[]
  readonly locks?: true
  readonly estate?: true
  readonly spent?: Spent
}

interface Spent {
  readonly by: string
  readonly amounts: Readonly<Record<string, number>>
}

/** Connects in the background, and again whenever the connection breaks. */
export function openPostgresHints(options: { url: Secret; clock: Clock; logger: Logger; lines?: Lines }): Hints {
  const { url, clock, logger, lines } = options
  const closing = new AbortController()
  const listeners = new Set<(hint: Hint) => void>()
  let session: DirectSession | undefined
  let work = new Set<RelayerId>()
  let kinds = new Set<'locks' | 'registry'>()
  let spent: Spent | undefined
  let sending = false
  let giveUpSilent: (() => void) | undefined

  async function run(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      try {
        const opened = await openDirectSession(url, ['SET synchronous_commit = off'])
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
      client.on('notification', ({ payload }) => hear(payload ?? ''))
      await client.query(`LISTEN ${channelOf(opened)}`)
      session = opened
      // What was told before anybody listened is made up for.
      hear(JSON.stringify({ locks: true, estate: true } satisfies Message))
      void flush()
      while (!stop.aborted) {
        await clock.sleep(speakEveryMs, stop)
        if (!stop.aborted) await answered(client.query('SELECT 1'), stop)
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

  function hear(payload: string): void {
    for (const hint of hintsIn(payload)) for (const listener of listeners) listener(hint)
  }

  async function flush(): Promise<void> {
    if (sending) return
    sending = true
    try {
      while (session && !closing.signal.aborted && (work.size > 0 || kinds.size > 0 || spent)) {
        const [named, rest] = spent ? [[], [...work]] : split([...work])
        const { locks, registry } = { locks: kinds.has('locks'), registry: kinds.has('registry') }
        work = new Set(rest)
        kinds = new Set()
        const message: Message = {
          ...(named.length > 0 && { work: named }),
          ...(locks && { locks }),
          ...(registry && { estate: true as const }),
          ...(spent && { spent }),
        }
        spent = undefined
        await session.client.query('SELECT pg_notify($1, $2)', [channelOf(session), JSON.stringify(message)])
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
      if (hint.kind === 'spent') spent = spentIn(hint)
      else if (hint.kind !== 'work') kinds.add(hint.kind)
      else if (work.size < relayersMax) work.add(hint.relayer)
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

function channelOf({ schema }: DirectSession): string {
  return `rescind_${schema}`
}

function spentIn({ by, amounts }: Extract<Hint, { kind: 'spent' }>): Spent {
  const most = [...amounts].sort(([, one], [, other]) => other - one).slice(0, allowancesMax)
  return { by, amounts: Object.fromEntries(most) }
}

/** As many as one payload holds, and the others. */
function split(relayers: readonly RelayerId[]): [readonly RelayerId[], readonly RelayerId[]] {
  let bytes = 0
  const count = relayers.findIndex((relayer) => {
    bytes += Buffer.byteLength(JSON.stringify(relayer)) + 1
    return bytes > payloadBytesMax
  })
  return count === -1 ? [relayers, []] : [relayers.slice(0, Math.max(1, count)), relayers.slice(Math.max(1, count))]
}

/** Whatever another version says is no reason to fail. */
function hintsIn(payload: string): readonly Hint[] {
  try {
    const { work = [], locks, estate, spent } = JSON.parse(payload) as Message
    return [
      ...work.map((relayer): Hint => ({ kind: 'work', relayer })),
      ...(locks ? [{ kind: 'locks' } as const] : []),
      ...(estate ? [{ kind: 'registry' } as const] : []),
      ...(spent ? [{ ...spent, kind: 'spent', amounts: new Map(Object.entries(spent.amounts)) } as const] : []),
    ]
  } catch {
    return []
  }
}
