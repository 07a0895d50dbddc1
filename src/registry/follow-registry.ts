// Keeps the registry up to date with changes by other replicas: at their hints, and by polling the store.
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Hints } from '../store/hints.ts'
import type { Registry } from './registry.ts'

/** Polling costs one small read. */
const lookEveryMs = 2_000

interface FollowRegistry {
  readonly registry: Pick<Registry, 'refresh'>
  readonly hints: Pick<Hints, 'listen'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Begins at once, and ends when it is disposed of. */
export function followRegistry({ registry, hints, clock, logger }: FollowRegistry): AsyncDisposable {
  const ended = new AbortController()
  let failing = false

  async function refresh(): Promise<void> {
    try {
      await registry.refresh()
      failing = false
    } catch (err) {
      // Logged once, since every poll tries again.
      if (!failing) logger.error({ err }, 'a change of the registry by another replica could not take effect here')
      failing = true
    }
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(lookEveryMs, ended.signal)
      if (!ended.signal.aborted) await refresh()
    }
  }

  hints.listen((hint) => {
    if (hint.kind === 'registry') void refresh()
  }, ended.signal)
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
