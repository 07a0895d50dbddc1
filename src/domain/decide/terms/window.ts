// How many transactions of a relayer may be in flight: `max_in_flight`, or without it a congestion window, as in TCP.
//
// Every node keeps 16 transactions of a sender. More of them is worth the risk only where blocks take them at once: the
// window doubles if everything in flight is mined within two blocks. It halves if blocks do not keep up, so that a price
// that rises, or a bulk cancellation, meets no more transactions than the chain takes in some blocks. It begins anew if a
// node's pool is full, lacks accepted transactions, or can't be read.
import { newest, recordedAtBlockOf, rejectionOf, takenAtOf, wasTaken } from '../../attempt.ts'
import type { Observation } from '../../observation.ts'
import { isOver, type Moment, type Patience } from '../../patience.ts'
import type { Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

/** geth `--txpool.accountslots`. Other clients keep as many at least. */
export const keptByEveryNode = 16
/** The largest window: a bulk cancellation may need so many no-ops. */
export const windowMax = 512
/** A transaction that a look still shows in flight after so long is late. */
const lateAfter: Patience = { blocks: 2, ms: 4_000 }
const stalledAfter: Patience = { blocks: 5, ms: 8_000 }
/** A doubling after which a block takes no more than before only makes each wait longer. */
const raisedBy = 1.25

export interface Window {
  readonly size: number
  /** Absent: the window was not full since it last changed. */
  readonly round?: Round
  /**
   * Transactions a block, in the round after which the window last doubled. By blocks: a slow slot would count as a lower rate. Absent: since
   * then the window halved or began anew, or it doubled once. The first round may begin just before a block, which makes its rate high.
   */
  readonly rateBefore?: number
}

/** The transactions in flight when the window was first full since it last changed. */
interface Round {
  readonly last: Nonce
  /** The account's count, and the head's number, when the last of them was recorded. */
  readonly from: { readonly nonce: Nonce; readonly block: BlockNumber }
  /** `late`: one of them was. `halved`: the window halved while they waited. */
  readonly pace: 'prompt' | 'late' | 'halved'
  /** The first look that showed some of them mined. Looks at a far node are far apart, and between two of them all others may be mined. */
  readonly minedSince?: Moment
}

export const firstWindow: Window = { size: keptByEveryNode }

/** The part of the work that matters here. */
interface Occupied extends Pick<Work, 'open' | 'counted'> {
  readonly relayer: Pick<Relayer, 'policies'>
}

interface Look {
  readonly observation: Observation
  /** The time at its end. */
  readonly now: TimestampMs
  readonly tookMs: number
}

/**
 * Limit of transactions in flight. Most chains keep one of an account that delegates (EIP-7702). Base keeps four, which nothing but
 * `max_in_flight` says.
 */
export function inFlightMaxOf(
  { policies }: Occupied['relayer'],
  size: number = keptByEveryNode,
  delegated = false,
): number {
  return policies.maxInFlight ?? (delegated ? 1 : size)
}

/** Whether the step reads the pool: beyond the 16 that every node keeps, only the pool shows an eviction. */
export function wantsPool({ relayer, open }: Occupied): boolean {
  return relayer.policies.maxInFlight === undefined && lifecyclesOf(open).length > keptByEveryNode
}

/**
 * The window after a look at the chain. The rows are those from before it, and `counted` is the count of the last one. `openNow`: the rows at its
 * end, with those that got a nonce meanwhile.
 */
export function nextWindow(
  window: Window,
  { relayer, open, counted }: Occupied,
  look: Look,
  openNow: readonly Transaction[] = open,
): Window {
  if (relayer.policies.maxInFlight !== undefined) return firstWindow
  const { head, nonce, pendingNonce, isPoolUnseen } = look.observation
  const inFlight = lifecyclesOf(open)
  const highest = inFlight.at(-1)
  if (!highest) return window
  const latest = inFlight.map(({ attempts }) => newest(attempts))
  if (isPoolUnseen || latest.some((each) => rejectionOf(each)?.code === 'poolFull')) return firstWindow
  const isShort = pendingNonce !== undefined && pendingNonce <= highest.nonce
  if (isShort && latest.every(wasTaken)) return firstWindow

  const isFull = roomIn({ open: openNow }, { inFlightMax: window.size, spentBelow: counted ?? 0 }) === 0
  const round =
    window.round ?? (isFull ? begun(lifecyclesOf(openNow).at(-1) ?? highest, counted ?? 0, head) : undefined)
  if (!round) return window
  if (nonce > round.last) return afterRound(window, round, look)
  const oldest = inFlight.find((each) => each.nonce >= nonce)
  if (isFull && round.pace !== 'halved' && isStalled(oldest, look)) {
    const size = Math.max(keptByEveryNode, window.size >> 1)
    return { size, round: { ...begun(highest, nonce, head), pace: 'halved' } }
  }
  const seen = { ...round, ...(nonce > round.from.nonce && { minedSince: round.minedSince ?? momentOf(look) }) }
  const isLate = round.pace === 'prompt' && (wasLate(oldest, look) || isBehind(oldest, seen, look))
  return { ...window, round: isLate ? { ...seen, pace: 'late' } : seen }
}

function begun({ nonce, attempts }: InFlight, counted: Nonce, head: Observation['head']): Round {
  const from = { nonce: counted, block: recordedAtBlockOf(attempts[0], head.number) }
  return { last: nonce, from, pace: 'prompt' }
}

function afterRound({ size, rateBefore = 0 }: Window, { from, pace }: Round, { observation }: Look): Window {
  const rate = (observation.nonce - from.nonce) / Math.max(1, observation.head.number - from.block)
  const hasRisen = rate > raisedBy * rateBefore
  if (pace !== 'prompt' || !hasRisen) return { size, rateBefore }
  const isFirst = size === keptByEveryNode
  return { size: Math.min(windowMax, 2 * size), ...(isFirst ? {} : { rateBefore: rate }) }
}

/** A repeat moves the time of the answer, so the wait begins with the record. A far node's bytes and answers take as long as the look. */
function isStalled(oldest: InFlight | undefined, look: Look): boolean {
  const since = oldest && oldest.attempts[0].recordedAt + 2 * look.tookMs
  return since !== undefined && hasWaited(oldest, since, look, stalledAfter)
}

/** Between the answer of the node that has it and the begin of the look. */
function wasLate(oldest: InFlight | undefined, look: Look): boolean {
  const takenAt = oldest && takenAtOf(newest(oldest.attempts))
  return takenAt !== undefined && hasWaited(oldest, takenAt + look.tookMs, look, lateAfter)
}

/** Whether blocks take others of the round for so long: the node had all of them by then. */
function isBehind(oldest: InFlight | undefined, { minedSince }: Round, look: Look): boolean {
  const takenAt = oldest && takenAtOf(newest(oldest.attempts))
  if (takenAt === undefined || !minedSince || takenAt > minedSince.ms) return false
  return isOver(lateAfter, minedSince, momentOf(look))
}

function momentOf({ observation: { head }, now }: Look): Moment {
  return { block: head.number, ms: now }
}

type InFlight = InPhase<'inFlight'>['lifecycle']

/** Lifecycles of the transactions in flight, lowest nonce first. */
function lifecyclesOf(open: readonly Transaction[]): readonly InFlight[] {
  return open.flatMap((each) => (isInPhase(each, 'inFlight') ? [each.lifecycle] : []))
}

function hasWaited(
  oldest: InFlight | undefined,
  since: TimestampMs,
  { observation: { head }, now }: Look,
  { blocks, ms }: Patience,
): boolean {
  if (!oldest) return false
  return head.number - recordedAtBlockOf(oldest.attempts[0], head.number) >= blocks && now - since >= ms
}

/** The limit of transactions in flight, and the nonces that use up none of it. */
export interface Room {
  readonly inFlightMax: number
  /** The account's count: nonces below are spent. */
  readonly spentBelow: Nonce
}

/** By the count a spent nonce makes room before its receipt comes. Not where pools keep one transaction of the account. */
export function roomBy(
  { relayer, window }: Pick<Work, 'relayer' | 'window'>,
  { nonce, delegated = false }: Pick<Observation, 'nonce' | 'delegated'>,
): Room {
  return { inFlightMax: inFlightMaxOf(relayer, window, delegated), spentBelow: delegated ? 0 : nonce }
}

/** How many of the queue may get a nonce now. A false count brings twice as many into flight, and no more. */
export function roomIn({ open }: Pick<Work, 'open'>, { inFlightMax, spentBelow }: Room): number {
  const inFlight = inFlightOf({ open })
  const unspent = inFlight.filter(({ lifecycle }) => lifecycle.nonce >= spentBelow)
  return Math.max(0, Math.min(inFlightMax - unspent.length, 2 * inFlightMax - inFlight.length))
}
