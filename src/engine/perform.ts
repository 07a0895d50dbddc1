// Broadcasts recorded bytes, and records the outcomes.
import type { Chain } from '../chain/chain.ts'
import { type Attempt, type BroadcastOutcome, bytesOf, isNoOp } from '../domain/attempt.ts'
import { afterAnswers, dropIfCertain } from '../domain/decide/apply.ts'
import type { Hash, TransactionId } from '../domain/ids.ts'
import { revisionOf, type Transaction } from '../domain/transaction.ts'
import { fence, type Ownership, refuseIfOver } from '../ownership/ownership.ts'
import type { Recorded, RecordedBroadcast } from './record.ts'
import type { StepContext } from './step-context.ts'

/** Whether any broadcast failed or is unknown, so that it should be repeated before the next block. */
export async function perform(
  context: StepContext,
  chain: Chain,
  ownership: Ownership,
  { broadcasts }: Recorded,
): Promise<boolean> {
  if (broadcasts.length === 0) return false
  const requests = broadcasts.map(({ transaction, attempt }) => ({
    hash: attempt.hash,
    raw: bytesOf(attempt),
    ...(isNoOp(attempt)
      ? { reach: 'all' as const }
      : {
          reach: 'one' as const,
          ...(transaction.validUntil !== undefined && { validUntil: transaction.validUntil }),
          stillWanted: () => isStillWanted(context, ownership, transaction, attempt),
        }),
  }))
  refuseIfOver(ownership)
  logBroadcasts(context, ownership, broadcasts, 'broadcasting')
  const outcomes = await chain.broadcast(requests)
  logBroadcasts(context, ownership, broadcasts, 'broadcast', outcomes)
  await keepAnswers(context, ownership, broadcasts, outcomes)
  return [...outcomes.values()].some(({ kind }) => kind === 'unknown' || kind === 'unsent' || kind === 'rejected')
}

/** Whether the transaction is neither canceled nor replaced since, and still ours to broadcast. Doubt counts as no. */
async function isStillWanted(
  { store }: StepContext,
  ownership: Ownership,
  { id }: Transaction,
  attempt: Attempt,
): Promise<boolean> {
  const now = await store.reads.transaction(ownership.relayer, id).catch(() => undefined)
  if (!now || now.cancellation || ownership.lost.aborted || ownership.isOver()) return false
  return now.lifecycle.phase === 'inFlight' && revisionOf(now) === (attempt.revision ?? 0)
}

async function keepAnswers(
  { store, clock }: StepContext,
  ownership: Ownership,
  broadcasts: readonly RecordedBroadcast[],
  outcomes: ReadonlyMap<Hash, BroadcastOutcome>,
): Promise<void> {
  const now = clock.now()
  const ids = [...new Set<TransactionId>(broadcasts.map(({ transaction }) => transaction.id))]
  await store.commit(
    async (session) => {
      await fence(session, ownership)
      for (const id of ids) {
        // Read anew: a DELETE may have come while the nodes were answering.
        const transaction = await session.transaction(ownership.relayer, id)
        if (!transaction) continue
        const answered = afterAnswers(transaction, outcomes, now)
        if (answered === transaction) continue
        // The outcomes are saved first, so that the attempts show them, and only then the end that follows from them.
        const saved = await session.saveTransaction(transaction, answered, now)
        const ended = dropIfCertain(saved, now)
        if (ended !== saved) await session.saveTransaction(saved, ended, now)
      }
    },
    ownership.relayer,
    { transactions: ids },
  )
}

function logBroadcasts(
  { logger }: StepContext,
  ownership: Ownership,
  broadcasts: readonly RecordedBroadcast[],
  what: 'broadcasting' | 'broadcast',
  outcomes?: ReadonlyMap<Hash, BroadcastOutcome>,
): void {
  for (const { transaction, attempt } of broadcasts) {
    const facts = {
      relayer_id: ownership.relayer,
      transaction_id: transaction.id,
      hash: attempt.hash,
      nonce: attempt.nonce,
      kind: attempt.kind,
      ...(outcomes && { outcome: outcomes.get(attempt.hash) }),
    }
    logger.debug(facts, what)
  }
}
