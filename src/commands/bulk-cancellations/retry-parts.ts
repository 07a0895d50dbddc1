// Tries again until nothing is left: with longer and longer rests, which a change may end early.
import { bell } from '../../ops/bell.ts'
import { backOff, type Clock } from '../../ops/clock.ts'

interface Retries {
  /** Begins to try; if it is trying already, it tries once more afterwards. */
  begin(): void
  /** Ends the present rest, or the next one. */
  hurry(): void
  /** Resolves once nothing is left, or after the signal. */
  done(): Promise<void>
}

interface Given {
  /** One try. Resolves to whether something is left. */
  readonly tryOnce: () => Promise<boolean>
  readonly clock: Clock
  readonly signal: AbortSignal
}

export function retryUntilDone({ tryOnce, clock, signal }: Given): Retries {
  const changed = bell()
  let running: Promise<void> | undefined
  let isWanted = false

  async function run(): Promise<void> {
    for (let failures = 0; isWanted && !signal.aborted; failures += 1) {
      isWanted = false
      if (!(await tryOnce())) continue
      isWanted = true
      await rest(backOff(failures))
    }
    running = undefined
  }

  async function rest(ms: number): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([clock.sleep(ms, either), changed.wait(either)])
    over.abort()
  }

  return {
    begin() {
      isWanted = true
      running ??= run()
    },
    hurry: changed.ring,
    done: async () => running,
  }
}
