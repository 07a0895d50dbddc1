// POST of a sweep: pauses the relayer and stores the transaction that empties its account, in one commit. The owner of the relayer does
// the rest, on whatever replica.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { checkSweep, isUnderWay, type SweepRequest, startSweep } from '../../domain/sweep.ts'
import { pendingStatuses, type Status, statusOf, type Transaction } from '../../domain/transaction.ts'
import { freshId } from '../../ops/random.ts'
import type { Reads, Session } from '../../store/store.ts'
import { afterCommit } from '../after-commit.ts'
import { type CommandContext, refuseAwaited, refuseReplaced } from '../context.ts'
import { type ManagementContext, takeEffect } from '../management.ts'
import { recordLastChange } from './record-change.ts'
import { patchRelayer } from './update-relayer.ts'

export interface Sweep {
  readonly transaction: Transaction
  /** How many other transactions of the relayer are pending or in flight, canceled ones that still race among them. */
  readonly others: number
}

interface StartedSweep {
  readonly transaction: Transaction
  readonly isNew: boolean
  readonly isPausedNow: boolean
}

/**
 * Starts a sweep. While one to the same address is under way, returns that one, and pauses the relayer again. Throws
 * RELAYER_NOT_FOUND, SWEEP_UNDER_WAY, CONFIGURED_BY_FILE, SIGNER_UNAVAILABLE, and the errors of checkSweep.
 */
export async function sweepRelayer(
  context: ManagementContext,
  relayerId: RelayerId,
  request: SweepRequest,
  requester: Requester,
): Promise<Sweep & Pick<StartedSweep, 'isNew'>> {
  refuseReplaced(context)
  refuseAwaited(context, relayerId)
  const pause = (session: Session) => patchRelayer(context, session, relayerId, { paused: true })
  const started = await storeSweep(context, relayerId, request, requester, pause)
  if (started.isPausedNow) await takeEffect(context)
  return { ...started, ...(await afterCommit(besides(context.store.reads, relayerId, started.transaction))) }
}

/** `pause` pauses the relayer in the same unit. */
export async function storeSweep(
  { store, clock, random, wake, profileOf }: CommandContext,
  relayerId: RelayerId,
  request: SweepRequest,
  requester: Requester,
  pause: (session: Session, relayer: Relayer) => Promise<Relayer>,
): Promise<StartedSweep> {
  const now = clock.now()
  const at = { id: freshId<TransactionId>(random, now), now, createdBy: requester.keyId }
  const started = await store.commit(
    async (session) => {
      const found = await session.relayer(relayerId)
      if (!found) throw relayerNotFound(relayerId)
      const relayer = found.paused ? found : await pause(session, found)
      const last = await session.sweep(relayerId)
      const underWay = last && isUnderWay(last) ? last : undefined
      if (underWay) refuseOther(underWay, request)
      else checkSweep(relayer, request, now, profileOf(relayer))
      const transaction = underWay ?? (await newSweep(session, relayer, request, at))
      if (!found.paused) await recordLastChange(session, relayerId, requester, now, ['paused'])
      session.recordAudit(allowed(requester, now, { relayerId, transactionId: transaction.id }))
      if (!underWay) await session.insertTransaction(transaction)
      return { transaction, isNew: !underWay, isPausedNow: !found.paused }
    },
    relayerId,
    { registry: true },
  )
  wake(relayerId)
  return started
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
  const { pending } = await reads.counts(relayerId)
  // Also canceled ones whose nonce nobody has used yet.
  const { bound } = await reads.standing(relayerId)
  const inFlight = bound.filter(({ isMined }) => !isMined).length
  const waiting: readonly Status[] = pendingStatuses
  return { others: Math.max(0, pending + inFlight - (waiting.includes(statusOf(sweep)) ? 1 : 0)) }
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
