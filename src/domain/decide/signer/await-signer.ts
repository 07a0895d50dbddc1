// Holds back decisions while a remote signer works on earlier ones or fails, and explains the transactions that wait
// for it. Nothing changes for a signer that has its key in memory.
import { isNoOp } from '../../attempt.ts'
import { isNonEmpty } from '../../ids.ts'
import type { Transaction } from '../../transaction.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { type SignerFailure, signatureKey } from '../plan/signing.ts'
import { isSigning, type SigningDecision, traits } from '../plan/traits.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { rebroadcastIfDue } from '../race/rebroadcast.ts'
import { presignedFor } from './presign.ts'

/** `decisions` without the signatures that can't be requested now, and with the reasons why. */
export function awaitSigner(decisions: readonly Decision[], situation: Situation): readonly Decision[] {
  const { signing } = situation.work
  if (!signing) return decisions
  const kept: Decision[] = []
  /** Whether an earlier nonce waits: a later one is never bound before it. */
  let isBindingWaiting = false
  for (const decision of decisions) {
    if (!isSigning(decision)) {
      kept.push(decision)
      continue
    }
    const purpose = traits[decision.do].signs
    const failure = signing.outage ?? signing.failures.get(signatureKey(decision))
    const isEarly = failure !== undefined && situation.now < failure.retryAt
    const waits = signing.outage !== undefined || isEarly || signing.underWay.has(purpose)
    // A race is lost by waiting. A fresh signature follows the market, so it comes first while the signer works.
    const noOp = waits && (failure || signing.late.has('cancel')) ? inAdvance(decision, situation) : undefined
    if (noOp) {
      kept.push(noOp)
      continue
    }
    if (failure && !isBindingWaiting) kept.push(...explainFailure(decision, failure, situation.work))
    if (purpose === 'bind') {
      isBindingWaiting ||= waits
      if (!isBindingWaiting) kept.push(decision)
    } else if (waits) kept.push(...repeatSigned(decision, situation))
    else kept.push(decision)
  }
  return kept
}

/** Explains the first queued transaction whose signature failed, while it is requested again. */
export function explainBinding(work: Work): readonly Decision[] {
  const { signing, queued } = work
  if (!signing?.underWay.has('bind')) return []
  const failed = queued.find(({ id }) => signing.failures.has(id))
  const failure = failed && signing.failures.get(failed.id)
  return failure ? explainSigner(failed, failure, work) : []
}

function inAdvance(decision: SigningDecision, situation: Situation): Decision | undefined {
  if (decision.do !== 'signNoOp') return undefined
  const { transaction } = decision
  const noOp = presignedFor(transaction, situation)
  return noOp && { do: 'usePresigned', transaction, noOp }
}

/** Repeats signed bytes, which need no signer, while a higher price waits for its signature. */
function repeatSigned(decision: SigningDecision, situation: Situation): readonly Decision[] {
  if (decision.do === 'signNoOp') {
    const noOps = decision.transaction.lifecycle.attempts.filter(isNoOp)
    return isNonEmpty(noOps) ? rebroadcastIfDue(decision.transaction, noOps, situation) : []
  }
  if (decision.do !== 'bump') return []
  return rebroadcastIfDue(decision.transaction, decision.transaction.lifecycle.attempts, situation)
}

function explainFailure(decision: SigningDecision, failure: SignerFailure, work: Work): readonly Decision[] {
  if (decision.do !== 'fillGap') return explainSigner(decision.transaction, failure, work)
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > decision.nonce)
  return behind ? explainSigner(behind, failure, work) : []
}

function explainSigner(
  transaction: Transaction,
  { code, isPermanent, activity }: SignerFailure,
  { relayer }: Work,
): readonly Decision[] {
  return explain(transaction, {
    condition: 'signer_unavailable',
    facts: { signerId: relayer.signerId, code, isPermanent, ...(activity !== undefined && { activity }) },
  })
}
