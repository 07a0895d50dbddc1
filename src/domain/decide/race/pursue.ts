// A transaction in flight that is not canceled: its payload contends for the nonce, or the payload that replaced it.
import { isSweep } from '../../sweep.ts'
import { awaitsReplacement, type InPhase, neverReachedANode } from '../../transaction.ts'
import type { Decision, NeedsBalance } from '../plan/decision.ts'
import type { Situation } from '../plan/situation.ts'
import { advance } from './advance.ts'
import { payloadContender, replacementContender } from './contender.ts'
import { lowerIfShort } from './lower-sweep.ts'

export function pursue(transaction: InPhase<'inFlight'>, situation: Situation): readonly (Decision | NeedsBalance)[] {
  const steps = pursuePayload(transaction, situation)
  return isSweep(transaction) ? lowerIfShort(transaction, steps, situation) : steps
}

function pursuePayload(transaction: InPhase<'inFlight'>, situation: Situation): readonly (Decision | NeedsBalance)[] {
  if (!awaitsReplacement(transaction)) return advance(payloadContender(transaction, situation), situation)
  // From the replacement on, no attempt of the old payload is broadcast again.
  if (neverReachedANode(transaction)) return [{ do: 'unbind', transaction }]
  return advance(replacementContender(transaction, situation), situation)
}
