// A hold keeps a send before the queue, without a nonce, until a time or a release. The client may request one, and the
// relayer's policies may demand one: the longer of the two holds. Beside it stands the record of four eyes, which outlives the hold.
import { RescindError } from './errors.ts'
import type { Pricing } from './fees.ts'
import type { ApiKeyId, Hash, Hex } from './ids.ts'
import type { Policies } from './policy-table.ts'
import type { Gas, TimestampMs, Wei } from './units.ts'

/** The hold that a client requests. Part of the digest of an idempotency key, so its form must not change. */
export type HoldRequest =
  | { readonly kind: 'release' }
  | { readonly kind: 'for'; readonly ms: number }
  | { readonly kind: 'notBefore'; readonly at: TimestampMs }

/** The member of the send, or the policy of the relayer, that decides when a hold ends. */
export const holdRules = ['hold', 'hold_for', 'not_before', 'min_hold', 'hold_above_value', 'four_eyes'] as const
export type HoldRule = (typeof holdRules)[number]

export interface Hold {
  readonly rule: HoldRule
  readonly since: TimestampMs
  /** The key that set the payload. */
  readonly by?: ApiKeyId
  /** Absent: time never ends the hold. */
  readonly until?: TimestampMs
  /** The client's part: a PUT without a request of its own begins it anew. Absent if only a policy demands the hold. */
  readonly request?: HoldRequest
}

const notBeforeMaxMs = 366 * 24 * 3_600_000
/** How long after its end a hold waits for a newer head, in case the chain's clock is behind ours. */
export const headPatienceMs = 60_000

/** `until` is Infinity if only a release ends it. */
interface Demand {
  readonly rule: HoldRule
  readonly until: number
}

/** The part of a payload that may cost money. */
interface Guarded {
  readonly value: Wei
  readonly data: Hex
  readonly accessList?: readonly unknown[]
  readonly gasLimit?: Gas
  readonly pricing: Pricing
}

export interface Holdable extends Guarded {
  readonly hold?: HoldRequest
}

interface HoldSource {
  readonly by?: ApiKeyId
  /** The transaction is under four eyes whatever the payload is. */
  readonly isUnderFourEyes?: boolean
}

/** Undefined if the payload may get a nonce at once. */
export function holdOf(
  policies: Policies,
  payload: Holdable,
  now: TimestampMs,
  { by, isUnderFourEyes = false }: HoldSource = {},
): Hold | undefined {
  const { value, hold: request } = payload
  const needsSecondKey = isUnderFourEyes || demandsSecondKey(policies, payload)
  // Of equal ends the first counts: no other rule takes the place of four eyes.
  const demands = [
    needsSecondKey ? { rule: 'four_eyes' as const, until: Number.POSITIVE_INFINITY } : undefined,
    demandOf(request, now),
    demandOfPolicies(policies, value, now),
  ].filter((each) => each !== undefined)
  const latest = Math.max(...demands.map(({ until }) => until))
  const longest = demands.find(({ until }) => until === latest)
  if (!longest || longest.until <= now) return undefined
  const { rule, until } = longest
  return {
    rule,
    since: now,
    ...(by !== undefined && { by }),
    ...(Number.isFinite(until) && { until }),
    ...(request && { request }),
  }
}

/** The most gas without a second key. A transfer to a wallet that is a contract needs some ten thousand more than 21,000. */
export const unapprovedGasMax: Gas = 100_000

/**
 * A call has the value 0 and may move anything, and a fee goes to a block builder, who may share it with the sender. So data, gas and
 * price count as much as a value: without a second key the service chooses the price, or `gas_price_cap` limits it.
 */
export function demandsSecondKey({ fourEyes, holdAboveValue, gasPriceCap }: Policies, payload: Guarded): boolean {
  if (!fourEyes) return false
  const { value, data, accessList = [], gasLimit = 0, pricing } = payload
  if (holdAboveValue === undefined || value > holdAboveValue) return true
  if (data !== '0x' || accessList.length > 0 || gasLimit > unapprovedGasMax) return true
  return pricing.kind !== 'speed' && gasPriceCap === undefined
}

function demandOf(request: HoldRequest | undefined, now: TimestampMs): Demand | undefined {
  switch (request?.kind) {
    case undefined:
      return undefined
    case 'release':
      return { rule: 'hold', until: Number.POSITIVE_INFINITY }
    case 'for':
      return { rule: 'hold_for', until: now + request.ms }
    case 'notBefore':
      return { rule: 'not_before', until: request.at }
  }
}

function demandOfPolicies({ minHold, holdAboveValue }: Policies, value: bigint, now: TimestampMs): Demand | undefined {
  if (holdAboveValue !== undefined && value <= holdAboveValue) return undefined
  if (minHold !== undefined) return { rule: 'min_hold', until: now + minHold }
  return holdAboveValue === undefined ? undefined : { rule: 'hold_above_value', until: Number.POSITIVE_INFINITY }
}

/** Throws INVALID_REQUEST for a schedule too far ahead, and for a send that would expire before its hold ends. */
export function checkHold(
  policies: Policies,
  request: Holdable & { readonly validUntil?: TimestampMs },
  now: TimestampMs,
): void {
  const { hold: requested, validUntil } = request
  if (requested?.kind === 'notBefore' && requested.at > now + notBeforeMaxMs) {
    throw new RescindError('INVALID_REQUEST', 'not_before: lies more than a year ahead; send an earlier time')
  }
  const hold = holdOf(policies, request, now)
  if (hold?.until === undefined || validUntil === undefined || validUntil > hold.until) return
  throw new RescindError(
    'INVALID_REQUEST',
    `valid_until: it would expire on hold, which lasts until ${timeInWords(hold.until)} (${hold.rule}); send a later valid_until, or a shorter hold`,
  )
}

/** The clocks that show the end of a hold. */
interface Clocks {
  readonly now: TimestampMs
  /** The time of the newest head. */
  readonly headAt: TimestampMs
  /** When this process first saw a head of that height. */
  readonly headSince: TimestampMs
}

/** Whether the hold has ended by our clock and by the chain's; by ours alone once no head has come for a minute. */
export function hasHoldEnded({ until }: Hold, { now, headAt, headSince }: Clocks): boolean {
  if (until === undefined || now < until) return false
  return headAt >= until || now >= patienceEndsAt(until, headSince)
}

export function patienceEndsAt(until: TimestampMs, headSince: TimestampMs): TimestampMs {
  return Math.max(until, headSince) + headPatienceMs
}

export function timeInWords(at: TimestampMs): string {
  return new Date(at).toISOString()
}

/**
 * The record of four eyes, kept for the life of a transaction: a later change of the policy opens no hold, and a replacement needs
 * a release of its own.
 */
export interface FourEyes {
  /** Every key that set a payload, in order: none of them may release it. */
  readonly setBy: readonly ApiKeyId[]
  /** When the current payload was set. */
  readonly since: TimestampMs
  /** The approval of the current payload. Absent: nobody has released it. */
  readonly released?: Approval
}

interface Approval {
  readonly by: ApiKeyId
  readonly at: TimestampMs
  /** The digest that the releaser sent. */
  readonly digest: Hash
  readonly revision: number
}
