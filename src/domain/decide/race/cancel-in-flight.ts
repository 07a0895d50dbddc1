// A canceled transaction in flight: it is dropped where certainly no node has it, and otherwise a no-op contends for its nonce
// until something is mined.
import { mayBeKnown } from '../../attempt.ts'
import type { InPhase } from '../../transaction.ts'
import type { Steps } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { fateOnArrival } from '../rules/arrival-order.ts'
import { explainGivenUp } from '../rules/give-up.ts'
import { noOpContender } from '../terms/contender.ts'
import { advance } from './advance.ts'

export function cancelInFlight(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  // Other reasons why the no-op waits go deeper, and come after this one.
  return [...explainGivenUp(transaction), ...race(transaction, situation)]
}

function race(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  // On a chain that orders transactions as they come: dropped, ordered already, or kept for a moment. Undefined: it races.
  const fate = fateOnArrival(transaction, situation)
  if (fate) return fate
  if (!transaction.lifecycle.attempts.some(mayBeKnown)) return [{ do: 'drop', transaction }]
  return advance(noOpContender(transaction, situation), situation)
}
