// Broadcasts recorded bytes, and records the outcomes.
import type { Chain } from '../chain/chain.ts'
import { type Attempt, type BroadcastOutcome, bytesOf, isNoOp } from '../domain/attempt.ts'
import { afterAnswers, dropIfNoNodeHasIt } from '../domain/decide/apply.ts'
import type { Hash, TransactionId } from '../domain/ids.ts'
import { revisionOf, type Transaction } from '../domain/transaction.ts'
import { fence, type Ownership, refuseIfOver } from '../ownership/ownership.ts'
import type { RecordedBroadcast } from './record.ts'
import type { StepContext } from './step-context.ts'

export interface Performed {
  /** A broadcast failed or is unknown, so the next step says when to repeat it. */
  readonly failed: boolean
  /** The transactions with their answers, as their rows are now. */
  readonly written: readonly Transaction[]
}

export async function perform(
  context: StepContext,
  chain: Chain,
  ownership: Ownership,
  broadcasts: readonly RecordedBroadcast[],
): Promise<Performed> {
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
  const written = await keepAnswers(context, ownership, broadcasts, outcomes)
  const failed = [...outcomes.values()].some(
    ({ kind }) => kind === 'unknown' || kind === 'unsent' || kind === 'rejected',
  )
  return { failed, written }
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
): Promise<readonly Transaction[]> {
  const now = clock.now()
  const known = new Map<TransactionId, Transaction>(broadcasts.map(({ transaction }) => [transaction.id, transaction]))
  return await store.commit(
    async (session) => {
      await fence(session, ownership)
      const written: Transaction[] = []
      for (const each of known.values()) {
        // A DELETE may have come while the nodes were answering.
        const transaction = await session.current(each)
        if (!transaction) continue
        const answered = afterAnswers(transaction, outcomes, now)
        if (answered === transaction) continue
        // The outcomes are saved first, so that the attempts show them, and only then the end that follows from them.
        const saved = await session.saveTransaction(transaction, answered, now)
        const ended = dropIfNoNodeHasIt(saved, now)
        written.push(ended === saved ? saved : await session.saveTransaction(saved, ended, now))
      }
      return written
    },
    ownership.relayer,
    { transactions: [...known.keys()] },
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
