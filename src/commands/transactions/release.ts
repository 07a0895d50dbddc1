// Releases transactions on hold, durable before the answer.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { release } from '../../domain/release.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'

export interface Released {
  readonly transaction: Transaction
  /** False if it was not on hold. Such a request leaves no audit record in the commit. */
  readonly isChanged: boolean
}

/** Throws TRANSACTION_NOT_FOUND, TRANSACTION_ALREADY_… of a transaction that has ended, and RELAYER_PAUSED. */
export async function releaseTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  id: TransactionId,
  requester?: Requester,
): Promise<Released> {
  const released = await context.store.commit(
    (session) => releaseOne(session, relayerId, id, context.clock.now(), requester),
    relayerId,
    { transactions: [id] },
  )
  if (released.isChanged) context.wake(relayerId)
  return released
}

export type ReleaseResult = (Released | { readonly refusal: RescindError }) & { readonly id: TransactionId }

/** In the order of `ids`, in one commit. Throws RELAYER_NOT_FOUND and RELAYER_PAUSED; other refusals are results. */
export async function releaseTransactions(
  context: CommandContext,
  relayerId: RelayerId,
  ids: readonly TransactionId[],
  requester?: Requester,
): Promise<readonly ReleaseResult[]> {
  const results = await context.store.commit(
    async (session) => {
      if (!(await session.relayer(relayerId))) throw relayerNotFound(relayerId)
      const now = context.clock.now()
      const done: ReleaseResult[] = []
      for (const id of ids) done.push({ id, ...(await attempt(session, relayerId, id, now, requester)) })
      return done
    },
    relayerId,
    { transactions: ids },
  )
  if (results.some((each) => 'isChanged' in each && each.isChanged)) context.wake(relayerId)
  return results
}

async function attempt(
  session: Session,
  relayerId: RelayerId,
  id: TransactionId,
  now: TimestampMs,
  requester?: Requester,
): Promise<Released | { readonly refusal: RescindError }> {
  try {
    return await releaseOne(session, relayerId, id, now, requester)
  } catch (error) {
    if (error instanceof RescindError && error.code !== 'RELAYER_PAUSED') return { refusal: error }
    throw error
  }
}

async function releaseOne(
  session: Session,
  relayerId: RelayerId,
  id: TransactionId,
  now: TimestampMs,
  requester?: Requester,
): Promise<Released> {
  const found = await session.transaction(relayerId, id)
  const relayer = found && (await session.relayer(relayerId))
  if (!relayer) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction of this relayer')
  const after = release(found, relayer)
  if (after === found) return { transaction: found, isChanged: false }
  if (requester) session.recordAudit(allowed(requester, now, { relayerId, transactionId: id }))
  return { transaction: await session.saveTransaction(found, after, now), isChanged: true }
}
