// The second witness: where a network is served by several providers, an inclusion is final only when endpoints of two of them show it
// (`second_witness`).
//
// One endpoint may invent a block. Without this file its word would end a transaction that was never mined: a payload that waits, reported as
// confirmed. The promise: what one endpoint alone shows is not final while another of a different provider denies it, or is silent: for ten
// minutes with `prefer`, and for good with `require`. For example: one shows block 100 as final, another shows 100 without the transaction.
// It waits (`witnesses_contradict`). Once two deny it, the transaction is open again.
//
// Witnesses are called from the second confirmation on. While one shows the block without the spender, a payload counts as in flight: a
// cancel takes it, and a cancellation races on. So one endpoint's word refuses no DELETE for long. Nor does it confirm: without a second
// word the status `confirmed` waits for a minute.
//
// Where one endpoint suffices each function answers undefined, or that nothing is missing.
import { finalDepth } from '../../finality.ts'
import type { Observation, WitnessInquiry } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { WitnessRule } from '../../second-witness.ts'
import { type Inclusion, type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import {
  claimOf,
  isContradicted,
  isProven,
  isRefuted,
  type Testimony,
  withProvenCharge,
  witnessesIn,
  witnessesNeeded,
} from '../../witness.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Situation, Work } from '../plan/work.ts'
import { hasExpired } from '../terms/expired.ts'

/** The spenders for which witnesses are called. Undefined where one endpoint suffices, or nothing has a nonce. */
export function witnessesToCall(work: Work, policy: NetworkPolicy): WitnessInquiry | undefined {
  if (policy.secondWitness === 'off' || work.open.length === 0) return undefined
  const mined = work.open.filter((transaction) => isInPhase(transaction, 'mined'))
  const claims = mined.map(({ lifecycle }) => claimOf(lifecycle.inclusion))
  const { finality, requiredConfirmations } = policy
  const depths = { confirmations: Math.min(calledFrom, requiredConfirmations), finalDepth: finalDepth(policy).depth }
  return { claims, ...depths, ...(typeof finality !== 'number' && { tag: finality }) }
}

/** The first confirmation at which an endpoint that is a block behind shows the block, too. */
const calledFrom = 2

/** Whether an inclusion that this observation shows is contradicted, so that a cancellation that a client or an expiry began races on. */
export function racesOn({ cancellation }: Transaction, inclusion: Inclusion, { testimonies }: Observation): boolean {
  // The record holds its bytes: one that it lacks may be all that nodes have.
  if (cancellation === undefined || cancellation.origin === 'refusal' || inclusion.by !== 'attempt') return false
  const testimony = testimonies?.get(inclusion.hash)
  return testimony !== undefined && isContradicted(testimony)
}

/** The decisions about an inclusion that one endpoint or more contradict. Undefined where none does. */
export function judgeContradiction(
  transaction: InPhase<'mined'>,
  situation: Situation,
): readonly Decision[] | undefined {
  const { observation, policy, now } = situation
  const testimony = testimonyOf(transaction, observation)
  if (!testimony) return undefined
  const { inclusion, isContradicted: isRecorded = false } = transaction.lifecycle
  if (isRefuted(testimony, policy)) return [{ do: 'reopen', transaction, why: 'refuted' }]
  if (!isContradicted(testimony)) {
    const isListed = witnessesIn(testimony) >= witnessesNeeded || isProven(testimony, policy)
    return isRecorded && isListed ? [{ do: 'contradict', transaction, isContradicted: false }] : undefined
  }
  if (racesOn(transaction, inclusion, observation)) return [{ do: 'reopen', transaction, why: 'contradicted' }]
  // A foreign spender and a payload that was given up have a status of their own.
  if (inclusion.by !== 'attempt' || transaction.cancellation) return undefined
  if (isRecorded && hasExpired(transaction, now)) return [{ do: 'expire', transaction }]
  const marked = isRecorded ? [] : [{ do: 'contradict', transaction, isContradicted: true } as const]
  return [...marked, ...explainUnwitnessed(transaction, testimony, policy)]
}

/**
 * Whether a second endpoint shows it, or all others have been silent for a minute: enough for a status that can be taken back. Silence ends
 * no contradiction.
 */
export function mayConfirmBy(transaction: InPhase<'mined'>, { observation, policy }: Situation): boolean {
  const testimony = testimonyOf(transaction, observation)
  if (isProven(testimony, policy)) return true
  if (!testimony || transaction.lifecycle.isContradicted) return false
  const { shownBy, refutedBy, elsewhereBy, silentMs } = testimony
  return shownBy.length > 0 && refutedBy.length + elsewhereBy.length === 0 && silentMs >= silentShownMs
}

/** The decisions about an inclusion that too few endpoints show. Undefined if it is final. */
export function awaitWitness(
  transaction: InPhase<'mined'>,
  { observation, policy }: Situation,
): readonly Decision[] | undefined {
  const testimony = testimonyOf(transaction, observation)
  return isProven(testimony, policy) ? undefined : explainUnwitnessed(transaction, testimony, policy)
}

/** Ends the transaction by what the witnesses show. */
export function finalizeBy(transaction: InPhase<'mined'>, { observation, policy }: Situation): Decision {
  const testimony = testimonyOf(transaction, observation)
  const inclusion = withProvenCharge(transaction.lifecycle.inclusion, testimony, policy)
  return { do: 'finalize', transaction, inclusion, witnesses: witnessesIn(testimony) }
}

/** Whether a step comes soon for a witness: a chain that makes blocks on demand makes none while an endpoint catches up. */
export function lacksWitness({ testimonies }: Observation, policy: NetworkPolicy): boolean {
  const isDue = ({ laterBlocks }: Testimony) => laterBlocks + 1 >= policy.requiredConfirmations
  return [...(testimonies?.values() ?? [])].some((testimony) => isDue(testimony) && !isProven(testimony, policy))
}

function testimonyOf({ lifecycle }: InPhase<'mined'>, { testimonies }: Observation): Testimony | undefined {
  return testimonies?.get(lifecycle.inclusion.hash)
}

/** Silence that is explained. A shorter one is an endpoint that rests, or lags. */
const silentShownMs = 60_000

/** Explains that one endpoint alone shows an inclusion as final. The wait ends with a second that shows the same. */
function explainUnwitnessed(
  transaction: InPhase<'mined'>,
  testimony: Testimony | undefined,
  { secondWitness }: WitnessRule,
): Decision[] {
  const { hash: spender, block } = transaction.lifecycle.inclusion
  if (!testimony) return []
  const { shownBy, refutedBy, elsewhereBy, silentMs } = testimony
  const deniedBy = [...refutedBy, ...elsewhereBy]
  if (deniedBy.length > 0) {
    const facts = { spender, block: block.number, shownBy, deniedBy }
    return explain(transaction, { condition: 'witnesses_contradict', facts })
  }
  if (silentMs < silentShownMs) return []
  return explain(transaction, {
    condition: 'witness_silent',
    facts: { spender, block: block.number, mode: secondWitness },
  })
}
