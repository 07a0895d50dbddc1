// A reason of each condition, and of each of its forms.
import type { Reason, Wait } from '../../src/domain/wait-facts.ts'
import { ether, gwei, hashOf, now, someRelayer } from './some.ts'

const { id: relayerId, network } = someRelayer()
const [noOp, spender, over] = [hashOf(1), hashOf(2), hashOf(3)]
const short = { value: 7n * ether, paysL1: true } as const
const atCap = { of: 'attempt', nonce: 41, since: 1_234 } as const

export const someReasons: readonly Reason[] = [
  { condition: 'on_hold', facts: { rule: 'hold_for', until: now } },
  { condition: 'on_hold', facts: { rule: 'hold' } },
  { condition: 'on_hold', facts: { rule: 'four_eyes' } },
  { condition: 'paused', facts: { by: 'relayer', network } },
  { condition: 'paused', facts: { by: 'network', network } },
  { condition: 'paused', facts: { by: 'both', network } },
  { condition: 'policy', facts: { forbidden: 'value is above max_value' } },
  { condition: 'balance_below_minimum', facts: { balance: 7n * ether, minBalance: 9n * ether } },
  { condition: 'balance_short', facts: { of: 'send', balance: 3n * ether, ...short } },
  { condition: 'balance_short', facts: { of: 'late', balance: 3n * ether, lagBlocks: 43, ...short } },
  ...(['emptying', 'delegated'] as const).map((of): Reason => {
    const facts = { of, value: 7n * ether, reserve: 11n * ether, short: 2n * ether, lagBlocks: 43 }
    return { condition: 'balance_short', facts }
  }),
  { condition: 'balance_short', facts: { of: 'gas', reserve: 11n * ether, lagBlocks: 43 } },
  { condition: 'balance_short', facts: { of: 'passed', ...short } },
  { condition: 'balance_short', facts: { of: 'higherPrice', cost: 13n * ether, reserve: 11n * ether } },
  { condition: 'balance_short', facts: { of: 'attempt', cost: 13n * ether } },
  { condition: 'already_ordered', facts: { of: 'cancellation', by: 'receipt' } },
  { condition: 'already_ordered', facts: { of: 'cancellation', by: 'spentNonce' } },
  { condition: 'already_ordered', facts: { of: 'replacement' } },
  { condition: 'outcome_unknown', facts: {} },
  { condition: 'cancel_unfunded', facts: { cost: 13n * ether } },
  { condition: 'cancel_unfunded', facts: { cost: 13n * ether, reserve: 11n * ether } },
  { condition: 'gas_price_cap', facts: { of: 'send', cap: 17n * gwei, price: 19n * gwei, isNamed: false } },
  { condition: 'gas_price_cap', facts: { of: 'send', cap: 17n * gwei, price: 19n * gwei, isNamed: true } },
  { condition: 'gas_price_cap', facts: { ...atCap, cap: 17n * gwei, offer: { perGas: 19n * gwei, hasRoom: true } } },
  { condition: 'gas_price_cap', facts: { of: 'replacement', over, needed: { perGas: 19n * gwei, tip: 3n * gwei } } },
  { condition: 'cancel_gas_price_cap', facts: { ...atCap, cap: 17n * gwei } },
  { condition: 'cancel_gas_price_cap', facts: { of: 'noOp', cap: 17n * gwei, perGas: 19n * gwei } },
  { condition: 'cost_bound', facts: { costMax: 11n * ether, cost: 13n * ether } },
  { condition: 'own_price', facts: { of: 'attempt', perGas: 19n * gwei, tip: 3n * gwei } },
  { condition: 'own_price', facts: { of: 'replacement', over } },
  { condition: 'price_ceiling', facts: { perGas: 19n * gwei, cap: 'gas_price_cap' } },
  { condition: 'attempts_exhausted', facts: { of: 'attempt', until: 'double', nonce: 41, attempts: 64 } },
  { condition: 'attempts_exhausted', facts: { of: 'noOp', until: 'double', nonce: 41, attempts: 64 } },
  { condition: 'nonce_blocked', facts: { by: 'transaction', nonce: 41, until: 1_234, untilAt: 1_800_000_000_000 } },
  { condition: 'nonce_blocked', facts: { by: 'count', nonce: 41, pendingNonce: 97 } },
  { condition: 'pool_unseen', facts: { nonce: 41, from: 1_234, untilAt: 1_800_000_000_000 } },
  { condition: 'gap_unconfirmed', facts: { of: 'gap', nonce: 41 } },
  { condition: 'gap_unconfirmed', facts: { of: 'reach', nonce: 41, recordedBelow: 31, relayerId } },
  { condition: 'gap_unconfirmed', facts: { of: 'limit', nonce: 41, limit: 37 } },
  { condition: 'gap_unconfirmed', facts: { of: 'count', nonce: 41, explainedBelow: 31 } },
  { condition: 'gap_fillers_limited', facts: { nonce: 41, filled: 64, relayerId } },
  { condition: 'nonce_unproven', facts: { nonce: 41 } },
  { condition: 'history_unknown', facts: { from: 41, to: 47 } },
  { condition: 'cancellation_unclear', facts: { noOp, nonce: 41 } },
  { condition: 'no_progress', facts: { nonce: 41, attempt: over } },
  { condition: 'node_behind', facts: { nonce: 41, settledBelow: 47 } },
  { condition: 'node_refuses', facts: { of: 'payload', refusal: { kind: 'error', words: '{"wei":"7"}' } } },
  { condition: 'node_refuses', facts: { of: 'payload', refusal: { kind: 'invalid', words: 'no blobs here' } } },
  { condition: 'node_refuses', facts: { of: 'noOp', refusal: { kind: 'forNow', words: 'txpool is full' } } },
  { condition: 'node_refuses', facts: { of: 'gapFiller', nonce: 41, words: 'intrinsic gas too low' } },
  { condition: 'node_refuses', facts: { of: 'behindGapFiller', nonce: 41, words: 'intrinsic gas too low' } },
  { condition: 'refused_by_all', facts: { nonce: 41, returns: true, words: 'no blobs here' } },
  { condition: 'node_unreachable', facts: { of: 'network', words: 'no connection' } },
  { condition: 'node_unreachable', facts: { of: 'noOp', words: 'no connection' } },
  { condition: 'head_stalled', facts: { block: 1_234 } },
  { condition: 'signer_unavailable', facts: { signerId: 'vault', code: 'Down', isPermanent: true, activity: '7-a' } },
  { condition: 'facts_missing', facts: { fact: 'laggedBalance' } },
  { condition: 'gas_unknown', facts: { of: 'replacement' } },
  { condition: 'gas_unknown', facts: { of: 'send', words: 'bad jump' } },
  { condition: 'gas_unknown', facts: { of: 'differ', lower: 40_123, higher: 9_000_456 } },
  { condition: 'gas_unknown', facts: { of: 'gapFiller', nonce: 41 } },
  { condition: 'would_revert', facts: { of: 'send', words: 'no allowance' } },
  { condition: 'would_revert', facts: { of: 'replacement', words: 'no allowance' } },
  { condition: 'account_in_use', facts: {} },
  { condition: 'finality_stalled', facts: { block: 1_234, minutes: 97, tag: 'safe' } },
  { condition: 'witnesses_contradict', facts: { spender, block: 1_234, shownBy: [3], deniedBy: [5, 7] } },
  { condition: 'witness_silent', facts: { spender, block: 1_234, mode: 'require' } },
]

export const someWaits: readonly Wait[] = someReasons.map((reason) => ({ ...reason, since: now }))

/** The first form of the condition. */
export function someWait(condition: Wait['condition']): Wait {
  const wait = someWaits.find((each) => each.condition === condition)
  if (!wait) throw new Error(`no reason has the condition ${condition}`)
  return wait
}
