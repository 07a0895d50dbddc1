// POST of a sweep: pauses the relayer and stores the transaction that empties its account, in one commit. The owner of the relayer does
// the rest, on whatever replica.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { checkSweep, isUnderWay, type SweepRequest, startSweep } from '../../domain/sweep.ts'
import { pendingStatuses, type Status, statusOf, type Transaction } from '../../domain/transaction.ts'
import { freshId } from '../../ops/fresh-id.ts'
import type { Reads, Session } from '../../store/store.ts'
import { refuseAwaited } from '../context.ts'
import { type ManagementContext, takeEffect } from '../management.ts'
import { patchRelayer } from './update-relayer.ts'

export interface Sweep {
  readonly transaction: Transaction
  /** How many other transactions of the relayer are pending or in flight. */
  readonly others: number
}

/**
 * While a sweep to the same address is under way, returns that one, and pauses the relayer again. Throws RELAYER_NOT_FOUND,
 * SWEEP_UNDER_WAY, CONFIGURED_BY_FILE, SIGNER_UNAVAILABLE, and the errors of checkSweep.
 */
export async function sweepRelayer(
  context: ManagementContext,
  relayerId: RelayerId,
  request: SweepRequest,
  requester: Requester,
): Promise<Sweep & { readonly isNew: boolean }> {
  const now = context.clock.now()
  const id: TransactionId = freshId(context.random, now)
  refuseAwaited(context, relayerId)
  // What a bulk cancellation has taken is canceled, whatever its rows say.
  await context.bulks?.finish(relayerId)
  const started = await context.store.commit(async (session) => {
    const found = await session.relayer(relayerId)
    if (!found) throw relayerNotFound(relayerId)
    const relayer = found.paused ? found : await patchRelayer(context, session, relayerId, { paused: true })
    const last = await session.sweep(relayerId)
    const underWay = last && isUnderWay(last) ? last : undefined
    if (underWay) refuseOther(underWay, request)
    else checkSweep(relayer, request, now, context.profileOf(relayer))
    const transaction = underWay ?? (await newSweep(session, relayer, request, { id, now, createdBy: requester.keyId }))
    session.recordAudit(allowed(requester, now, { relayerId, transactionId: transaction.id }))
    if (!underWay) await session.insertTransaction(transaction)
    return { transaction, isNew: !underWay, isPausedNow: !found.paused }
  }, relayerId)
  if (started.isPausedNow) await takeEffect(context)
  context.wake(relayerId)
  return { ...started, ...(await besides(context.store.reads, relayerId, started.transaction)) }
}

async function newSweep(
  session: Session,
  relayer: Relayer,
  request: SweepRequest,
  at: Omit<Parameters<typeof startSweep>[2], 'sequence'>,
): Promise<Transaction> {
  const next = await session.reserveSequence(relayer.id)
  if (!next) throw relayerNotFound(relayer.id)
  return startSweep(relayer, request, { ...at, sequence: next.sequence })
}

/** The newest sweep of the relayer. */
export async function readSweep(reads: Reads, relayerId: RelayerId): Promise<Sweep | undefined> {
  const transaction = await reads.sweep(relayerId)
  return transaction && { transaction, ...(await besides(reads, relayerId, transaction)) }
}

async function besides(reads: Reads, relayerId: RelayerId, sweep: Transaction): Promise<Pick<Sweep, 'others'>> {
  const counts = await reads.counts(relayerId)
  const pending = pendingStatuses.reduce((sum, status) => sum + counts[status], 0)
  const waiting: readonly Status[] = pendingStatuses
  return { others: Math.max(0, pending - (waiting.includes(statusOf(sweep)) ? 1 : 0)) }
}

function refuseOther({ id, payload }: Transaction, { to, gasLimit }: SweepRequest): void {
  const isSame = payload.to?.toLowerCase() === to.toLowerCase() && payload.gasLimit === gasLimit
  if (isSame) return
  const by = payload.gasLimit === undefined ? 'its gas estimated' : `gas_limit ${payload.gasLimit}`
  throw new RescindError(
    'SWEEP_UNDER_WAY',
    `transaction ${id} empties the account to ${payload.to}, with ${by}; cancel it to sweep otherwise`,
  )
}
