// Sends many transactions at once: one commit stores all of them, in order and next to each other in the queue, or
// none.

import type { Requester } from '../../domain/audit.ts'
import { checkEach } from '../../domain/check-each.ts'
import type { Claim } from '../../domain/claim.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { refuseRepeated } from '../../domain/labels.ts'
import { checkSend, type SendRequest, submit } from '../../domain/submit.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { freshId } from '../../ops/random.ts'
import type { Session } from '../../store/store.ts'
import { type CommandContext, refuseAwaited, refuseReplaced } from '../context.ts'
import type { QueueRoom } from '../queue-room.ts'
import { refuseTaken, storeLabeled } from './labels.ts'
import { limitGiveUps } from './limit-give-ups.ts'
import { type SentOnce, sendOnce } from './send-once.ts'

interface Batch {
  readonly relayerId: RelayerId
  readonly requests: readonly SendRequest[]
  readonly ids: readonly TransactionId[]
  readonly now: TimestampMs
  readonly room: QueueRoom
  readonly requester?: Requester
}

/**
 * Sends a batch, and returns its transactions in the order of `requests`. Throws the errors of a send; INVALID_REQUEST,
 * POLICY_VIOLATION and GAS_LIMIT_TOO_LOW name every refused item. Throws TOO_MANY_REFUSED, STORAGE_LOW, QUEUE_FULL where not all items fit
 * and, under a claim, IDEMPOTENCY_KEY_REUSED and TRANSACTION_GONE. EXTERNAL_ID_TAKEN names the first item.
 */
export async function submitBatch(
  context: CommandContext,
  relayerId: RelayerId,
  requests: readonly SendRequest[],
  claim: Claim | undefined,
  requester?: Requester,
): Promise<SentOnce> {
  refuseReplaced(context)
  const now = context.clock.now()
  const ids = requests.map(() => freshId(context.random, now))
  const room = context.queueRooms.of(relayerId)
  const make = (session: Session) =>
    storeBatch(session, context, { relayerId, requests, ids, now, room, ...(requester && { requester }) })
  const sent = claim
    ? await sendOnce(context, relayerId, claim, { ids, now }, make)
    : { transactions: await context.store.commit(make, relayerId, { long: true }), replayed: false }
  if (!sent.replayed) {
    room.keep()
    context.wake(relayerId, 'queued')
  }
  return sent
}

async function storeBatch(
  session: Session,
  context: CommandContext,
  { relayerId, requests, ids, now, room, requester }: Batch,
): Promise<readonly Transaction[]> {
  const { queueRooms, profileOf } = context
  refuseAwaited(context, relayerId)
  const reserved = await session.reserveSequences(relayerId, requests.length)
  if (!reserved) throw relayerNotFound(relayerId)
  const { relayer, first, ...last } = reserved
  await limitGiveUps(session, { relayerId, ...last, ...(requester && { requester }) }, now)
  refuseRepeated(requests)
  for (const [index, { labels }] of requests.entries()) {
    if (labels) await refuseTaken(session, relayerId, labels, `transactions[${index}].external_id`)
  }
  const rules = profileOf(relayer)
  checkEach('transactions', requests, (request) => checkSend(relayer, request, now, rules))
  queueRooms.refusePayload(relayerId)
  const fitting = await room.roomFor(session, first, requests.length)
  if (fitting < requests.length) {
    throw new RescindError(
      'QUEUE_FULL',
      `relayer "${relayerId}" may hold ${queueRooms.max} pending transactions, and has room for ${fitting} of these ${requests.length}; send fewer, or send again when some are mined`,
    )
  }
  const stored: Transaction[] = []
  for (const [index, request] of requests.entries()) {
    // There are as many ids as requests.
    const at = { id: ids[index] as TransactionId, sequence: first + index, now }
    const transaction = submit(relayer, request, { ...at, ...(requester && { createdBy: requester.keyId }) })
    await storeLabeled(session, transaction, request, { now, ...(requester && { requester }) })
    stored.push(transaction)
  }
  return stored
}
