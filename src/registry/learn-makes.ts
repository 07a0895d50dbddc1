// Reads once how the chain of a network is made, where only the chain itself can show it, and until its endpoints have answered.
import type { ShownMake } from '../domain/network-profiles.ts'
import type { Clock } from '../ops/clock.ts'

const retryMs = 60_000

export interface LearnMakes {
  /** Undefined while too few endpoints have answered, or they differ. */
  readonly read: (network: string) => Promise<ShownMake | undefined>
  readonly learned: () => void
  readonly clock: Clock
}

export interface Makes {
  of(network: string): ShownMake | undefined
  /** Begins to read, unless that has begun. */
  learn(network: string): void
  /** Whether one was read since the last call of `follow`. */
  hasNew(): boolean
  follow(): void
  [Symbol.dispose](): void
}

export function learnMakes({ read, learned, clock }: LearnMakes): Makes {
  const makes = new Map<string, ShownMake>()
  const begun = new Set<string>()
  const closed = new AbortController()
  let isNew = false

  async function learn(network: string): Promise<void> {
    while (!closed.signal.aborted) {
      const make = await read(network)
      if (make !== undefined && !closed.signal.aborted) {
        makes.set(network, make)
        isNew = true
        learned()
        return
      }
      await clock.sleep(retryMs, closed.signal)
    }
  }

  return {
    of: (network) => makes.get(network),
    learn(network) {
      if (begun.has(network)) return
      begun.add(network)
      void learn(network)
    },
    hasNew: () => isNew,
    follow() {
      isNew = false
    },
    [Symbol.dispose]: () => closed.abort('the registry is closed'),
  }
}
