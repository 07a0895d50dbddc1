// Tracks the signatures that an owner requested from a remote signer. The owner does not wait for them: its steps go on
// with the work that needs none, and a later step records those that came.
import type { Attempt } from '../domain/attempt.ts'
import type { SignatureKey, SignerFailure, Signing } from '../domain/decide/plan/signing.ts'
import type { SigningPurpose } from '../domain/decide/plan/traits.ts'
import type { TimestampMs } from '../domain/units.ts'
import { backOff, type Clock } from '../ops/clock.ts'
import { type RemoteKey, SignerUnavailable } from '../signers/signer.ts'
import type { SigningGroup, SigningOrder } from './signing-group.ts'

export interface SignedGroup {
  readonly group: SigningGroup
  /** Signed attempts in the order of the group; undefined for a signature that failed. */
  readonly attempts: readonly (Attempt | undefined)[]
}

export interface SignaturesUnderWay {
  /** The state of the signer as of now. */
  state(remote: RemoteKey): Signing
  /** Requests a group. Afterwards `onEnd` is called, also after a failure. */
  request(group: SigningGroup, sign: (order: SigningOrder) => Promise<Attempt>): void
  /**
   * The groups that ended and were not taken yet, cancellations first. One for new nonces stays while `isBindingHeld`. Throws an error that is no
   * failure of the signer.
   */
  take(isBindingHeld: () => boolean): readonly SignedGroup[]
  /** The time until a signature that failed may be requested again; undefined if none waits. */
  retryInMs(remote: RemoteKey): number | undefined
  /** The time until the signatures for cancellations are late; undefined if none are under way, and after that. */
  lateInMs(): number | undefined
}

interface KnownFailure extends SignerFailure {
  readonly times: number
}

/** Time after a retry until its failure is forgotten: its transaction has ended. */
const forgottenAfterMs = 60_000
/** Time within which a working key service signs a group. After it, a pre-signed no-op is used. */
const lateAfterMs = 1_000
/** The longest pause between tries. A call that hangs takes two seconds; a cancellation resumes three after the recovery at the latest. */
const retryLongestMs = 750

const order: readonly SigningPurpose[] = ['cancel', 'replace', 'bind']

export function trackSignatures(clock: Clock, onEnd: () => void): SignaturesUnderWay {
  /** The begin of each purpose's group, on a clock that never goes back. */
  const underWay = new Map<SigningPurpose, number>()
  const failures = new Map<SignatureKey, KnownFailure>()
  const ended = new Map<SigningPurpose, SignedGroup>()
  const errors: unknown[] = []

  function note(key: SignatureKey, error: SignerUnavailable): void {
    const times = (failures.get(key)?.times ?? 0) + 1
    const { code, isPermanent, activity } = error
    const retryAt = clock.now() + Math.min(retryLongestMs, backOff(times - 1))
    failures.set(key, { code, isPermanent, ...(activity !== undefined && { activity }), times, retryAt })
  }

  async function run({ key, ...rest }: SigningOrder, sign: (each: SigningOrder) => Promise<Attempt>) {
    try {
      const signed = await sign({ key, ...rest })
      failures.delete(key)
      return signed
    } catch (error) {
      if (error instanceof SignerUnavailable) note(key, error)
      else errors.push(error)
      return undefined
    }
  }

  function forgetOld(now: TimestampMs): void {
    for (const [key, { retryAt }] of failures) if (retryAt + forgottenAfterMs < now) failures.delete(key)
  }

  function isLate([, since]: readonly [SigningPurpose, number]): boolean {
    return clock.elapsed() - since >= lateAfterMs
  }

  return {
    state(remote) {
      forgetOld(clock.now())
      const outage = remote.outage()
      const late = new Set([...underWay].filter(isLate).map(([purpose]) => purpose))
      return { underWay: new Set(underWay.keys()), late, failures: new Map(failures), ...(outage && { outage }) }
    },
    request(group, sign) {
      underWay.set(group.purpose, clock.elapsed())
      void Promise.all(group.orders.map((each) => run(each, sign))).then((attempts) => {
        ended.set(group.purpose, { group, attempts })
        onEnd()
      })
    },
    take(isBindingHeld) {
      const due = order.filter((purpose) => ended.has(purpose) && !(purpose === 'bind' && isBindingHeld()))
      const taken = due.flatMap((purpose) => ended.get(purpose) ?? [])
      for (const { group } of taken) {
        ended.delete(group.purpose)
        underWay.delete(group.purpose)
      }
      if (errors.length > 0) throw errors.shift()
      return taken
    },
    retryInMs(remote) {
      const now = clock.now()
      const outage = remote.outage()
      const waits = outage ? [outage] : [...failures.values()]
      const next = waits.map(({ retryAt }) => retryAt - now).filter((ms) => ms > 0)
      return next.length === 0 ? undefined : Math.min(...next)
    },
    lateInMs() {
      const since = underWay.get('cancel')
      const ms = since === undefined ? 0 : since + lateAfterMs - clock.elapsed()
      return ms > 0 ? ms : undefined
    },
  }
}
