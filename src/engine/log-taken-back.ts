// Logs each execution that was confirmed and is not any more: the chain is in trouble, its required confirmations are too few, or an endpoint
// lies.
import type { Decision, WhyReopened } from '../domain/decide/plan/decision.ts'
import { confirmedAtOf } from '../domain/transaction.ts'
import type { Logger } from '../ops/logger.ts'

const causes: Record<WhyReopened, string> = {
  reorganized: 'a reorganization took back a confirmed transaction',
  refuted: 'a confirmed transaction rests on a false inclusion, which other endpoints refute',
  contradicted: 'endpoints contradict each other about a confirmed transaction',
}

/** Called once the decisions are recorded. */
export function logTakenBack(decisions: readonly Decision[], logger: Logger): void {
  for (const decision of decisions) {
    const why = whyOf(decision)
    if (!why || !('transaction' in decision) || confirmedAtOf(decision.transaction) === undefined) continue
    const { id, relayerId } = decision.transaction
    logger.error({ relayer_id: relayerId, transaction_id: id, cause: why }, causes[why])
  }
}

function whyOf(decision: Decision): WhyReopened | undefined {
  if (decision.do === 'contradict') return decision.isContradicted ? 'contradicted' : undefined
  return decision.do === 'reopen' ? decision.why : undefined
}
