// Contradictions: answers that cannot all be true. An operator takes them up with the providers of the endpoints.
import type { Hash } from './ids.ts'
import type { TimestampMs } from './units.ts'

/**
 * - `witnesses_contradict`: about the spender of a nonce, or its result.
 * - `branches_differ`: about the block at a height near the head.
 * - `wrong_chain`: about the chain id, or the block of the anchor.
 */
export const contradictionConditions = ['witnesses_contradict', 'branches_differ', 'wrong_chain'] as const
export type ContradictionCondition = (typeof contradictionConditions)[number]

/** The subject of the answers. An absent member was no part of the question. */
export interface ContradictionQuestion {
  readonly chainId?: number
  readonly block?: { readonly number: number; readonly hash: Hash }
  readonly spender?: Hash
  readonly succeeded?: boolean
}

interface ContradictingAnswer {
  /** The endpoint's index in the configuration. */
  readonly endpoint: number
  /** The answer, formed of decoded values, in ASCII: a node's own words might hold a key. At most `answerCharactersMax`. */
  readonly answer: string
}

export interface Contradiction {
  readonly condition: ContradictionCondition
  readonly question: ContradictionQuestion
  readonly answers: readonly ContradictingAnswer[]
}

/** A contradiction as stored: with the host of each endpoint, as its index may change with the configuration. */
export interface RecordedContradiction extends Contradiction {
  readonly at: TimestampMs
  readonly answers: readonly (ContradictingAnswer & { readonly host: string })[]
}

/** Takes note of one, and returns at once. */
export type NoteContradiction = (contradiction: Contradiction) => void

export const answerCharactersMax = 1_024
/** The most answers: more endpoints say nothing new. */
export const answersMax = 16
export const contradictionKeptMs = 7 * 86_400_000
/** The most contradictions of one network. The oldest make room. */
export const contradictionsMax = 1_000
