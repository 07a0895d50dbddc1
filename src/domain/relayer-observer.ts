// The reports of the engine about the relayers that it advances. Metrics listen to them, and so do the readiness and the previews.
import type { Condition } from './condition.ts'
import type { RelayerId } from './ids.ts'
import type { Relayer } from './relayer.ts'
import type { Nonce, TimestampMs, Wei } from './units.ts'
import type { Reason } from './wait-facts.ts'

export interface RelayerObserver {
  /** The owner has observed the chain. */
  observed(relayer: Relayer, sight: RelayerSnapshot): void
  /** The relayer has nothing open, and does not observe the chain. */
  idle(relayer: Relayer): void
  /** The window of the relayer: without max_in_flight so many of its transactions may be in flight. */
  window(id: RelayerId, size: number): void
  /** The relayer has nothing open, and a look at the chain found the conditions that would hold up the next send. */
  surveyed(relayer: Relayer, survey: IdleSurvey): void
  /** No node answered. */
  unreachable(id: RelayerId): void
  /** A step failed unexpectedly. */
  failed(id: RelayerId): void
  /** The number of relayers that this process advances from now on. */
  owned(count: number): void
  /** This process no longer owns it. */
  released(id: RelayerId): void
  /** Another service of the database has its account, or no longer has it. */
  accountInUse(relayer: Relayer, isInUse: boolean): void
  /** A look found, or nobody has acknowledged, that the relayer's key was used elsewhere; or no such use is left. */
  foreignUse(relayer: Relayer, use: ForeignUseReport): void
}

interface ForeignUseReport {
  readonly isHeld: boolean
  /** How many nonces this look found. 0: it read what others found. */
  readonly nonces: number
}

export interface RelayerSnapshot {
  readonly accountNonce: Nonce
  /** The lowest nonce in flight. */
  readonly lowestNonce?: Nonce
  readonly inFlight: number
  /** When the oldest transaction in flight or queued was stored. */
  readonly oldestAt?: TimestampMs
  readonly balance?: Wei
  /** What further sends may use. Absent: the balance or the prices are not known. */
  readonly free?: Wei
  /** Pre-signed no-ops, of all nonces. Absent: the policy is off. */
  readonly presigned?: number
  readonly conditions: readonly Condition[]
}

export interface IdleSurvey {
  readonly findings: readonly Reason[]
  readonly balance?: Wei
  readonly free?: Wei
}

/** Passes each report to every listener of it, in their order. */
export function reportToAll(...listeners: readonly Partial<RelayerObserver>[]): RelayerObserver {
  function toAll<Report extends readonly unknown[]>(
    of: (listener: Partial<RelayerObserver>) => ((...report: Report) => void) | undefined,
  ) {
    return (...report: Report) => {
      for (const each of listeners) of(each)?.(...report)
    }
  }
  return {
    observed: toAll(({ observed }) => observed),
    idle: toAll(({ idle }) => idle),
    surveyed: toAll(({ surveyed }) => surveyed),
    window: toAll(({ window }) => window),
    unreachable: toAll(({ unreachable }) => unreachable),
    failed: toAll(({ failed }) => failed),
    owned: toAll(({ owned }) => owned),
    released: toAll(({ released }) => released),
    accountInUse: toAll(({ accountInUse }) => accountInUse),
    foreignUse: toAll(({ foreignUse }) => foreignUse),
  }
}
