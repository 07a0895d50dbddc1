// Releases transactions on hold, durable before the answer.

import { allowed, type Requester } from '../../domain/audit.ts'
import { defined } from '../../domain/defined.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { Hash, RelayerId, TransactionId } from '../../domain/ids.ts'
import { release } from '../../domain/release.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'

interface Released {
  readonly transaction: Transaction
  /** False if it was not on hold. Such a request leaves no audit record in the commit. */
  readonly isChanged: boolean
}

/** A transaction, and the digest of the payload that the requester compared. Only under four eyes it is required. */
interface ReleaseOf {
  readonly id: TransactionId
  readonly digest?: Hash
}

/** Throws TRANSACTION_NOT_FOUND, TRANSACTION_ALREADY_… of a transaction that has ended, and the errors of a release. */
export async function releaseTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  wanted: ReleaseOf,
  requester?: Requester,
): Promise<Released> {
  const released = await context.store.commit(
    (session) => releaseOne(session, relayerId, wanted, context.clock.now(), requester),
    relayerId,
    { transactions: [wanted.id] },
  )
  if (released.isChanged) context.wake(relayerId)
  return released
}

export type ReleaseResult = (Released | { readonly refusal: RescindError }) & { readonly id: TransactionId }

/**
 * Releases in one commit, and returns the results in the order of `wanted`. Throws RELAYER_NOT_FOUND and RELAYER_PAUSED; other
 * refusals are results.
 */
export async function releaseTransactions(
  context: CommandContext,
  relayerId: RelayerId,
  wanted: readonly ReleaseOf[],
  requester?: Requester,
): Promise<readonly ReleaseResult[]> {
  const results = await context.store.commit(
    async (session) => {
      if (!(await session.relayer(relayerId))) throw relayerNotFound(relayerId)
      const now = context.clock.now()
      const done: ReleaseResult[] = []
      for (const each of wanted)
        done.push({ id: each.id, ...(await attempt(session, relayerId, each, now, requester)) })
      return done
    },
    relayerId,
    { transactions: wanted.map(({ id }) => id) },
  )
  if (results.some((each) => 'isChanged' in each && each.isChanged)) context.wake(relayerId)
  return results
}

async function attempt(
  session: Session,
  relayerId: RelayerId,
  wanted: ReleaseOf,
  now: TimestampMs,
  requester?: Requester,
): Promise<Released | { readonly refusal: RescindError }> {
  try {
    return await releaseOne(session, relayerId, wanted, now, requester)
  } catch (error) {
    if (error instanceof RescindError && error.code !== 'RELAYER_PAUSED') return { refusal: error }
    throw error
  }
}

async function releaseOne(
  session: Session,
  relayerId: RelayerId,
  wanted: ReleaseOf,
  now: TimestampMs,
  requester?: Requester,
): Promise<Released> {
  const { id, digest } = wanted
  const found = await session.transaction(relayerId, id)
  const relayer = found && (await session.relayer(relayerId))
  if (!relayer) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction of this relayer')
  const by = requester?.keyId
  const request = { ...defined({ by, digest }) }
  const after = release(found, relayer, request, now)
  if (after === found) return { transaction: found, isChanged: false }
  if (requester) session.recordAudit(allowed(requester, now, { relayerId, transactionId: id }))
  return { transaction: await session.saveTransaction(found, after, now), isChanged: true }
}
