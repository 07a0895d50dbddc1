// The gas reserve: chains that order blocks before they execute them (Monad; docs.monad.xyz, "Reserve Balance").
//
// A block may only hold transactions that are paid for whatever the blocks before it execute, so the gas of an account's latest transactions
// has to fit in the balance of some blocks ago, and in a reserve (10 MON). A value must not touch this reserve: the transaction would be
// mined, and revert. One exception lets an account be emptied: a value from an account that has sent nothing in these blocks, and that does
// not delegate (EIP-7702). Without this file a payment of 3 blocks ago would be spent too soon, and a transfer from an account with 12 MON
// of 5 would be mined in vain beside another.
//
// The promise: the service decides when a transaction gets its nonce, and how much gas is in flight. The client decides on its value and on
// its gas limit: the service never splits or refuses them, and waits for the time at which they go through.
// Where the network has no reserve each function answers undefined, or what it was given.
import { feeCap, type Market } from '../../fees.ts'
import type { Observation } from '../../observation.ts'
import type { DecisionProfile, NetworkPolicy } from '../../relayer.ts'
import { type InPhase, isInPhase, type Payload } from '../../transaction.ts'
import { type BlockNumber, maxWei, minWei, type Nonce, type Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { maxCostOf, minableAttempts } from '../terms/funds.ts'

/** The part of the observation that matters here. */
type Seen = Pick<Observation, 'head' | 'nonce' | 'balance' | 'lagged' | 'delegated'>
type Rules = Pick<NetworkPolicy, 'profile'>
type Spending = Pick<Work, 'open' | 'unsignedCost'>

export function lagOf({ balanceLagBlocks = 0 }: Pick<DecisionProfile, 'balanceLagBlocks'>): number {
  return balanceLagBlocks
}

/** The balance that pays for transactions that are sent now: a payment to the account counts after the lag. Undefined until it is read. */
export function countedBalance(
  work: Spending,
  { head, balance, lagged }: Seen,
  market: Market,
  { profile }: Rules,
): Wei | undefined {
  const lag = lagOf(profile)
  if (lag === 0 || balance === undefined) return balance
  if (!lagged) return undefined
  const since = minedWithin(work, head.number, lag).reduce((sum, each) => sum + maxCostOf(each, market), 0n)
  return minWei(balance, maxWei(0n, lagged.balance - since))
}

/** The gas that further transactions may pay for, beside those in flight. Undefined where nothing limits it. */
export function gasFundsOf(
  work: Spending,
  { head, balance, lagged }: Seen,
  { profile }: Rules,
  flying: readonly InPhase<'inFlight'>[] = inFlightOf(work),
): Wei | undefined {
  const { reserveBalance } = profile
  if (reserveBalance === undefined) return undefined
  const counted = lagged?.balance ?? balance ?? reserveBalance
  const used = [...flying, ...minedWithin(work, head.number, lagOf(profile))]
  return used.reduce(
    (left, each) => left - maxGasCostOf(each),
    minWei(reserveBalance, counted) - (work.unsignedCost ?? 0n),
  )
}

/**
 * The gas that the next attempt of a nonce may pay for. Nothing but the balance limits the only transaction of some blocks: the least price
 * that replaces its bytes may exceed the reserve, and the nonce would be stuck for ever. Where no node shows the earlier count, the record
 * decides: a block takes a price that comes too soon some blocks later.
 */
export function gasFundsBeside(
  others: readonly InPhase<'inFlight'>[],
  nonce: Nonce,
  work: Spending,
  seen: Seen,
  rules: Rules,
): Wei | undefined {
  const recent = minedWithin(work, seen.head.number, lagOf(rules.profile))
  const isNext = nonce === seen.nonce && nonce === (seen.lagged?.nonce ?? nonce)
  const isAlone = isNext && !seen.delegated && others.length === 0 && recent.length === 0
  return isAlone ? undefined : gasFundsOf(work, seen, rules, others)
}

/** The most that the gas of a transaction's attempts can cost. */
function maxGasCostOf({ lifecycle }: InPhase<'inFlight' | 'mined'>): Wei {
  const costs = minableAttempts(lifecycle.attempts).map(({ gasLimit, fees }) => BigInt(gasLimit) * feeCap(fees))
  return maxWei(0n, ...costs)
}

/** Transactions mined in the last `lag` blocks, without those above the head, whose balance includes them. */
function minedWithin({ open }: Spending, head: BlockNumber, lag: number): readonly InPhase<'mined'>[] {
  return open
    .filter((each) => isInPhase(each, 'mined'))
    .filter(({ lifecycle }) => {
      const { number } = lifecycle.inclusion.block
      return number > head - lag && number <= head
    })
}

/** Whether the transaction with this nonce may empty the account: no other of the account is in flight, or in the last blocks. */
function goesAlone(
  { open }: Pick<Spending, 'open'>,
  { nonce: spentBelow, lagged, delegated }: Seen,
  { profile }: Rules,
  nonce: Nonce,
): boolean {
  if (delegated || nonce !== spentBelow) return false
  if (inFlightOf({ open }).some(({ lifecycle }) => lifecycle.nonce < nonce)) return false
  return lagOf(profile) === 0 || lagged?.nonce === spentBelow
}

/** The account as the transactions before the next nonce leave it. */
interface Before {
  readonly nonce: Nonce
  /** The least that the account holds then. */
  readonly balance: Wei
  /** The funds for gas beside that of others. */
  readonly gasFunds: Wei | undefined
}

/** Why a payload's value may not be sent now. Undefined if it may. */
export function blockedByReserve(
  { value, to, from }: Pick<Payload, 'value' | 'to' | 'from'>,
  before: Omit<Before, 'gasFunds'>,
  { work, observation, policy }: { work: Spending; observation: Seen; policy: Rules },
): Reason | undefined {
  const { reserveBalance: reserve } = policy.profile
  if (reserve === undefined || value === 0n || to === from) return undefined
  const short = value - maxWei(0n, before.balance - reserve)
  if (short <= 0n || goesAlone(work, observation, policy, before.nonce)) return undefined
  const facts = { value, reserve, short: reserve + value - before.balance, lagBlocks: lagOf(policy.profile) }
  const of = observation.delegated ? 'delegated' : 'emptying'
  return { condition: 'balance_short', facts: { of, ...facts } }
}

/** Why a transaction's gas does not fit beside that of others. Undefined if it fits, or goes alone. */
export function blockedByGas(
  gas: Wei,
  { nonce, gasFunds }: Omit<Before, 'balance'>,
  { work, observation, policy }: { work: Spending; observation: Seen; policy: Rules },
): Reason | undefined {
  const { reserveBalance: reserve } = policy.profile
  if (reserve === undefined || gasFunds === undefined || gas <= gasFunds) return undefined
  if (goesAlone(work, observation, policy, nonce)) return undefined
  return { condition: 'balance_short', facts: { of: 'gas', reserve, lagBlocks: lagOf(policy.profile) } }
}

/** Explains a replacement whose value the chain would not let through yet: it would be mined, and revert. Empty if it may go. */
export function explainReserve(
  transaction: InPhase<'inFlight'>,
  balance: Wei,
  market: Market,
  situation: Situation,
): readonly Decision[] {
  const { payload, lifecycle } = transaction
  const before = inFlightOf(situation.work).filter((each) => each.lifecycle.nonce < lifecycle.nonce)
  const left = before.reduce((sum, each) => sum - maxCostOf(each, market), balance)
  const blocked = blockedByReserve(payload, { nonce: lifecycle.nonce, balance: left }, situation)
  return blocked ? explain(transaction, blocked) : []
}

/** The reserve, for the words of a shortage. */
export function withinReserve({ policy }: { readonly policy: Rules }): { readonly reserve?: Wei } {
  const { reserveBalance: reserve } = policy.profile
  return reserve === undefined ? {} : { reserve }
}

/** Whether the rules for a lone transaction differ for an account that delegates. */
export function dependsOnDelegation({ reserveBalance }: Pick<DecisionProfile, 'reserveBalance'>): boolean {
  return reserveBalance !== undefined
}

/** The balance that no value may touch: where the account delegates, the reserve of the network. Such a value would always revert. */
export function untouchable(
  { reserveBalance = 0n }: DecisionProfile,
  { delegated }: Pick<Observation, 'delegated'>,
): Wei {
  return delegated ? reserveBalance : 0n
}
