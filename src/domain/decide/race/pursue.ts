// A transaction in flight that is not canceled: its payload contends for the nonce, or the payload that replaced it,
// or a sweep of a lower value.
import type { Market } from '../../fees.ts'
import { awaitsReplacement, type InPhase, neverReachedANode } from '../../transaction.ts'
import type { Steps } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { lowerIfShort } from '../rules/sweeps.ts'
import { payloadContender, replacementContender } from '../terms/contender.ts'
import { advance } from './advance.ts'
import { floorFor } from './bid.ts'

export function pursue(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  const { observation, policy } = situation
  const floor = (market: Market) => floorFor(transaction, market, observation, policy)
  return lowerIfShort(transaction, pursuePayload(transaction, situation), floor, situation)
}

function pursuePayload(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  if (!awaitsReplacement(transaction)) return advance(payloadContender(transaction, situation), situation)
  // From the replacement on, no attempt of the old payload is broadcast again.
  if (neverReachedANode(transaction)) return [{ do: 'unbind', transaction }]
  return advance(replacementContender(transaction, situation), situation)
}
