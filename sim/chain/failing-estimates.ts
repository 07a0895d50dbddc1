// Estimates of gas that fail at every node: of calls to a contract that always fails, and of all calls for a while.
import type { Dice } from '../../tooling/dice.ts'

/** A contract whose calls always fail otherwise than by a revert. */
export const brokenContract = '0x00000000000000000000000000000000000bad01'

export interface EstimateError {
  readonly code: number
  readonly message: string
}

/** In words of no table. */
export const broken = {
  jump: { code: -32_603, message: 'EVM error InvalidJump' },
  destination: { code: -32_000, message: 'invalid jump destination' },
} as const

/** A node has words of its own, whose figures change. */
export function errorOfBroken(node: number, dice: Dice): EstimateError {
  if (node % 3 === 1) return broken.jump
  if (node % 3 === 2) return broken.destination
  return { code: -32_000, message: `bad thing happened in frame 0x${dice.below(100).toString(16)}` }
}

/** For a while no node estimates a call: each answer is one of these errors. */
export interface EstimateOutage {
  readonly errors: readonly EstimateError[]
  readonly untilMs: number
}

/** Errors that say nothing about a payload. */
const errors: readonly EstimateError[] = [
  { code: -32_000, message: 'execution aborted (timeout = 5s)' },
  { code: -32_000, message: 'header not found' },
  { code: -32_000, message: 'missing trie node 5a1b0f (path ) state 0x5a1b is not available' },
  { code: 429, message: 'Too Many Requests' },
  { code: -32_005, message: 'limit exceeded' },
  { code: -32_000, message: 'insufficient funds for gas * price + value: address 0x46 have 0 want 7' },
]

const longestMs = 120_000
/** Less than the minute in which like words end a payload. */
const longestInUnknownWordsMs = 45_000

/** `number`: of the outage in its run. Unknown words differ from one outage to the next, or they would last. */
export function drawOutage(dice: Dice, nowMs: number, number: number): EstimateOutage {
  const unknown = { code: -32_000, message: `mishap of the kind ${letters(number)}` }
  const drawn = dice.weighted({ one: 2, mixed: 1, unknown: 3 })
  const most = drawn === 'unknown' ? longestInUnknownWordsMs : longestMs
  return {
    errors: drawn === 'unknown' ? [unknown] : drawn === 'mixed' ? errors : [dice.pick(errors)],
    untilMs: nowMs + dice.between(5_000, most),
  }
}

/** Figures in a node's words say nothing. */
function letters(number: number): string {
  return String(number).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '')
}
