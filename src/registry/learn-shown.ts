// Reads what only the chain of a network can show: how it is made, once, and whether it orders by tips, from time to time, as a vote
// may change that while the service runs.
import type { Shown } from '../domain/network-profiles.ts'
import type { Clock } from '../ops/clock.ts'

/** The pause between reads until the endpoints have answered. */
const retryMs = 60_000
const ordersReadMs = 3_600_000

export interface LearnShown {
  /** Reads a fact of a network; undefined while too few endpoints have answered, or they differ. */
  readonly read: { readonly [Fact in keyof Shown]-?: (network: string) => Promise<Shown[Fact]> }
  readonly learned: () => void
  readonly clock: Clock
}

interface ShownByChains {
  of(network: string): Shown
  /** Begins to read this fact, unless that has begun. */
  learn(network: string, fact: keyof Shown): void
  /** Whether one has changed since the last call of `follow`. */
  hasNew(): boolean
  follow(): void
  [Symbol.dispose](): void
}

const nothing: Shown = {}

export function learnShown({ read, learned, clock }: LearnShown): ShownByChains {
  const shown = new Map<string, Shown>()
  const begun = new Set<string>()
  const closed = new AbortController()
  let isNew = false

  async function learn(network: string, fact: keyof Shown): Promise<void> {
    while (!closed.signal.aborted) {
      const value = await read[fact](network)
      const before = shown.get(network) ?? nothing
      if (value !== undefined && value !== before[fact] && !closed.signal.aborted) {
        shown.set(network, { ...before, [fact]: value })
        isNew = true
        learned()
      }
      if (value !== undefined && fact === 'make') return
      await clock.sleep(value === undefined ? retryMs : ordersReadMs, closed.signal)
    }
  }

  return {
    of: (network) => shown.get(network) ?? nothing,
    learn(network, fact) {
      const name = `${fact} ${network}`
      if (begun.has(name)) return
      begun.add(name)
      void learn(network, fact)
    },
    hasNew: () => isNew,
    follow() {
      isNew = false
    },
    [Symbol.dispose]: () => closed.abort('the registry is closed'),
  }
}
