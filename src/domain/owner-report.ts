// The last observation of a relayer by its owner, as stored: every replica shows it, and so does the process after a restart.
import type { HeldCondition } from './condition.ts'
import type { ApiKeyId, NetworkName, RelayerId } from './ids.ts'
import type { HeldUpTransaction } from './relayer-overview.ts'
import type { Funds } from './runway.ts'
import type { TimestampMs, Wei } from './units.ts'
import type { Reason } from './wait-facts.ts'
import { sentenceOf, sentenceOfNext } from './wait-sentence.ts'

/** A condition that holds a relayer up, or would hold up its next send. */
export type Held = FoundCondition & {
  /** When it began to hold. */
  readonly since: TimestampMs
  /** Absent until an operator has acknowledged it. */
  readonly acknowledged?: Acknowledgment
}

/** As it is shown: the facts and their sentence are those of the transaction that waits, or of the next send. */
export interface ShownHeld {
  readonly condition: HeldCondition
  readonly since: TimestampMs
  readonly facts?: Reason['facts']
  readonly text?: string
  readonly acknowledged?: Acknowledgment
}

export function withSentence(held: Held): ShownHeld {
  return 'facts' in held ? { ...held, text: sentenceOfNext(held) } : held
}

export interface OwnerReport {
  readonly observedAt: TimestampMs
  readonly balance?: BalanceReading
  /** Absent until an owner has reported them. */
  readonly funds?: Funds
  readonly conditions: readonly Held[]
}

/** The last change of a relayer by a client. */
export interface RelayerChange {
  readonly at: TimestampMs
  readonly by: ApiKeyId
  readonly operation: string
  /** The members that it changed, by their names in the API. */
  readonly members: readonly string[]
}

/** An operator has seen a condition. It lapses with the condition. */
export interface Acknowledgment {
  readonly at: TimestampMs
  readonly by: ApiKeyId
  readonly note?: string
}

export interface BalanceReading {
  readonly wei: Wei
  readonly readAt: TimestampMs
}

/** One finding of an observation: its condition, with the facts where no transaction waits. */
export type FoundCondition = Reason | { readonly condition: HeldCondition }

/** The conditions of `found`, each since it first held without a break. */
export function heldSince(
  found: readonly FoundCondition[],
  before: readonly Held[],
  now: TimestampMs,
): readonly Held[] {
  const conditions = new Map(found.map((finding) => [finding.condition, finding]))
  return [...conditions.values()].map((finding) => {
    const since = before.find(({ condition }) => condition === finding.condition)?.since ?? now
    return { ...finding, since }
  })
}

/** Conditions of the nodes that relayers of a network share. */
const ofNetwork: readonly HeldCondition[] = ['node_unreachable', 'head_stalled']

export function isOfNodes(condition: HeldCondition): boolean {
  return ofNetwork.includes(condition)
}

/** Conditions that hold without a transaction that waits. */
const ofRelayer: readonly HeldCondition[] = ['paused', ...ofNetwork, 'account_in_use', 'step_failing']

/**
 * The conditions as of now. The transaction that waits has the facts, and is recorded a moment before its relayer's condition.
 * `isOpen`: whether the relayer has open transactions.
 */
export function heldNow(
  report: OwnerReport | undefined,
  heldUp: HeldUpTransaction | undefined,
  isOpen: boolean,
): readonly ShownHeld[] {
  // A step found the others, of transactions that have ended since. The owner reports that with the next block.
  const isHeld = (held: Held) => isOpen || 'facts' in held || ofRelayer.includes(held.condition)
  const known = (report?.conditions ?? []).filter(isHeld).map(withSentence)
  if (!heldUp) return known
  const { condition, facts, since } = heldUp.wait
  const wait = { facts, text: sentenceOf(heldUp.wait, heldUp.isRacing) }
  const isKnown = known.some((held) => held.condition === condition)
  if (!isKnown) return [{ condition, since, ...wait }, ...known]
  return known.map((held) => (held.condition === condition ? { ...held, ...wait } : held))
}

/** The conditions of its nodes that the last report of a relayer has. */
export interface HeldNetwork extends Pick<OwnerReport, 'observedAt' | 'conditions'> {
  readonly id: RelayerId
  readonly network: NetworkName
}

export function outageIn(row: HeldNetwork): HeldNetwork | undefined {
  const conditions = row.conditions.filter(({ condition }) => isOfNodes(condition))
  return conditions.length > 0 ? { ...row, conditions } : undefined
}

/** With what later looks for other relayers found at the same nodes. */
export function withOutages(report: OwnerReport, outages: readonly HeldNetwork[]): OwnerReport {
  const later = outages.filter(({ observedAt }) => observedAt >= report.observedAt)
  const known = new Map(
    [...later, report].flatMap(({ conditions }) => conditions.map((each) => [each.condition, each])),
  )
  return { ...report, conditions: [...known.values()] }
}

/** Later than this, the owner has not looked for long: its conditions are those of that time. */
export const reportKeptMs = 900_000

/**
 * - `ok`: nothing holds it up, or would hold up its next send. `waiting`: a condition does.
 * - `unreachable`: no node of its network answers. `unobserved`: no process has observed it for 15 minutes, or ever.
 */
export const relayerStates = ['ok', 'waiting', 'paused', 'unreachable', 'unobserved'] as const
export type RelayerState = (typeof relayerStates)[number]

export function stateOf(isPaused: boolean, report: OwnerReport | undefined, now: TimestampMs): RelayerState {
  if (isPaused) return 'paused'
  if (!report || now - report.observedAt > reportKeptMs) return 'unobserved'
  const held = report.conditions.map(({ condition }) => condition)
  if (held.includes('node_unreachable')) return 'unreachable'
  return held.length > 0 ? 'waiting' : 'ok'
}
