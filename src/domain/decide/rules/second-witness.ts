// The second witness: where a network is served by several providers, an inclusion is final only when endpoints of two of them show it
// (`second_witness`).
//
// One endpoint may invent a block. Without this file its word would end a transaction that was never mined: a payload that waits, reported as
// confirmed. The promise: what one endpoint alone shows is not final while another of a different provider denies it, or is silent: for ten
// minutes with `prefer`, and for good with `require`. For example: one shows block 100 as final, another shows 100 without the transaction.
// It waits (`witnesses_contradict`). Once two deny it, the transaction is open again.
//
// Where one endpoint suffices each function answers undefined, or that nothing is missing.
import { finalDepth } from '../../finality.ts'
import type { Observation, WitnessInquiry } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { WitnessRule } from '../../second-witness.ts'
import { type InPhase, isInPhase } from '../../transaction.ts'
import { claimOf, isProven, isRefuted, type Testimony, witnessesIn } from '../../witness.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Situation, Work } from '../plan/work.ts'

/** The spenders for which witnesses are called. Undefined where one endpoint suffices, or nothing has a nonce. */
export function witnessesToCall(work: Work, policy: NetworkPolicy): WitnessInquiry | undefined {
  if (policy.secondWitness === 'off' || work.open.length === 0) return undefined
  const mined = work.open.filter((transaction) => isInPhase(transaction, 'mined'))
  const claims = mined.map(({ lifecycle }) => claimOf(lifecycle.inclusion))
  const { finality } = policy
  return { claims, confirmations: finalDepth(policy), ...(typeof finality !== 'number' && { tag: finality }) }
}

/** The decisions about an inclusion that endpoints refute, or that too few of them show. Undefined if it is final. */
export function awaitWitness(
  transaction: InPhase<'mined'>,
  { observation, policy }: Situation,
): readonly Decision[] | undefined {
  const testimony = testimonyOf(transaction, observation)
  if (testimony && isRefuted(testimony, policy)) return [{ do: 'reopen', transaction, why: 'refuted' }]
  return isProven(testimony, policy) ? undefined : explainUnwitnessed(transaction, testimony, policy)
}

/** How many witnesses show the inclusion. */
export function witnessesOf(transaction: InPhase<'mined'>, observation: Observation): number {
  return witnessesIn(testimonyOf(transaction, observation))
}

/** Whether a step comes soon for a witness: a chain that makes blocks on demand makes none while an endpoint catches up. */
export function lacksWitness({ testimonies }: Observation, policy: NetworkPolicy): boolean {
  return [...(testimonies?.values() ?? [])].some((testimony) => !isProven(testimony, policy))
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
