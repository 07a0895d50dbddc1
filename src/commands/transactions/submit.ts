// Sends a transaction: checks it against the relayer's policies, and stores it in the relayer's order before the
// answer.
import type { Requester } from '../../domain/audit.ts'
import type { Claim } from '../../domain/claim.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { checkSend, type SendRequest, submit } from '../../domain/submit.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { freshId } from '../../ops/random.ts'
import type { Session } from '../../store/store.ts'
import { type CommandContext, refuseAwaited, refuseReplaced } from '../context.ts'
import type { QueueRoom } from '../queue-room.ts'
import { refuseTaken, storeLabeled } from './labels.ts'
import { limitGiveUps } from './limit-give-ups.ts'
import { sendOnce } from './send-once.ts'

/** Throws RELAYER_NOT_FOUND, RELAYER_PAUSED, POLICY_VIOLATION, GAS_LIMIT_TOO_LOW, INVALID_REQUEST, QUEUE_FULL,
 * TOO_MANY_REFUSED, STORAGE_LOW, SIGNER_UNAVAILABLE, EXTERNAL_ID_TAKEN. */
export async function submitTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  request: SendRequest,
  requester?: Requester,
): Promise<Transaction> {
  const at = newTransaction(context, relayerId, requester)
  const transaction = await context.store.commit(
    (session) => storeSend(session, context, relayerId, request, at),
    relayerId,
  )
  at.room.keep()
  context.wake(relayerId, 'queued')
  return transaction
}

/** Throws the errors of a send, IDEMPOTENCY_KEY_REUSED, and TRANSACTION_GONE. */
export async function submitOnce(
  context: CommandContext,
  relayerId: RelayerId,
  request: SendRequest,
  claim: Claim,
  requester?: Requester,
): Promise<{ readonly transaction: Transaction; readonly replayed: boolean }> {
  const at = newTransaction(context, relayerId, requester)
  const { transactions, replayed } = await sendOnce(
    context,
    relayerId,
    claim,
    { ids: [at.id], now: at.now },
    async (session) => [await storeSend(session, context, relayerId, request, at)],
  )
  if (!replayed) {
    at.room.keep()
    context.wake(relayerId, 'queued')
  }
  // There is exactly one, from this request or an earlier one.
  return { transaction: transactions[0] as Transaction, replayed }
}

interface NewTransaction {
  readonly id: TransactionId
  readonly now: TimestampMs
  readonly room: QueueRoom
  readonly requester?: Requester
}

function newTransaction(
  { store, clock, random, queueRooms }: CommandContext,
  relayerId: RelayerId,
  requester: Requester | undefined,
): NewTransaction {
  refuseReplaced({ store })
  const now = clock.now()
  return { id: freshId(random, now), now, room: queueRooms.of(relayerId), ...(requester && { requester }) }
}

async function storeSend(
  session: Session,
  context: CommandContext,
  relayerId: RelayerId,
  request: SendRequest,
  { id, now, room, requester }: NewTransaction,
): Promise<Transaction> {
  const { queueRooms, profileOf } = context
  refuseAwaited(context, relayerId)
  const next = await session.reserveSequence(relayerId)
  if (!next) throw relayerNotFound(relayerId)
  const { relayer, sequence, ...last } = next
  await limitGiveUps(session, { relayerId, ...last, ...(requester && { requester }) }, now)
  if (request.labels) await refuseTaken(session, relayerId, request.labels, 'external_id')
  checkSend(relayer, request, now, profileOf(relayer))
  queueRooms.refusePayload(relayerId)
  if ((await room.roomFor(session, sequence, 1)) === 0) {
    throw new RescindError(
      'QUEUE_FULL',
      `relayer "${relayerId}" holds ${queueRooms.max} pending transactions, the most allowed; send again when some are mined, or cancel some`,
    )
  }
  const stored = submit(relayer, request, { id, sequence, now, ...(requester && { createdBy: requester.keyId }) })
  await storeLabeled(session, stored, request, { now, ...(requester && { requester }) })
  return stored
}
