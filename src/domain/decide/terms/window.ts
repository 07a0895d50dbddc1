// How many transactions of a relayer may be in flight: `max_in_flight`, or without it a congestion window, as in TCP.
//
// Every node keeps 16 transactions of a sender. More of them is worth the risk only where blocks take them at once: the
// window doubles if everything in flight is mined within two blocks. It halves if blocks do not keep up, so that a price
// that rises, or a bulk cancellation, meets no more transactions than the chain takes in some blocks. It begins anew if a
// node's pool is full, lacks accepted transactions, or can't be read.
import { newest, recordedAtBlockOf, rejectionOf, wasTaken } from '../../attempt.ts'
import type { Observation } from '../../observation.ts'
import type { Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

/** geth `--txpool.accountslots`. Other clients keep as many at least. */
export const keptByEveryNode = 16
/** The largest window: a bulk cancellation may need so many no-ops. */
export const windowMax = 512
/** A transaction is recorded at one head, and may miss the block that is being made just then. */
const minedAtOnceBlocks = 2
const minedLateBlocks = 4

export interface Window {
  readonly size: number
  /** The head at which the size changed. It changes once a block. */
  readonly changedAt?: BlockNumber
}

export const firstWindow: Window = { size: keptByEveryNode }

/** The part of the work that matters here. */
interface Occupied {
  readonly relayer: Pick<Relayer, 'policies'>
  readonly open: readonly Transaction[]
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

/** The window after this observation of the stored work. */
export function nextWindow(
  window: Window,
  { relayer, open }: Occupied,
  { nonce, head, pendingNonce, isPoolUnseen }: Observation,
): Window {
  if (relayer.policies.maxInFlight !== undefined) return firstWindow
  const inFlight = lifecyclesOf(open)
  const highest = inFlight.at(-1)
  if (!highest) return window
  const latest = inFlight.map(({ attempts }) => newest(attempts))
  if (isPoolUnseen || latest.some((each) => rejectionOf(each)?.code === 'poolFull')) return firstWindow
  const isShort = pendingNonce !== undefined && pendingNonce <= highest.nonce
  if (isShort && latest.every(wasTaken)) return firstWindow
  if (window.changedAt === head.number || inFlight.length < window.size) return window
  const unmined = inFlight.find((each) => each.nonce >= nonce)
  const oldestAt = Math.min(...inFlight.map((each) => boundAt(each, head.number)))
  if (!unmined && head.number - oldestAt <= minedAtOnceBlocks) {
    return { size: Math.min(windowMax, 2 * window.size), changedAt: head.number }
  }
  if (unmined && head.number - boundAt(unmined, head.number) > minedLateBlocks) {
    return { size: Math.max(keptByEveryNode, window.size >> 1), changedAt: head.number }
  }
  return window
}

type InFlight = InPhase<'inFlight'>['lifecycle']

/** Lifecycles of the transactions in flight, lowest nonce first. */
function lifecyclesOf(open: readonly Transaction[]): readonly InFlight[] {
  return open.flatMap((each) => (isInPhase(each, 'inFlight') ? [each.lifecycle] : []))
}

function boundAt({ attempts }: InFlight, head: BlockNumber): BlockNumber {
  return recordedAtBlockOf(attempts[0], head)
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
