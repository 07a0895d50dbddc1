// The names of a send: an `external_id` is checked, and all of them are stored and audited, in the commit of the send.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { type Labels, takenBy } from '../../domain/labels.ts'
import type { SendRequest } from '../../domain/submit.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'

/** The unit has locked the relayer, so no other send takes the id in between. Throws EXTERNAL_ID_TAKEN. */
export async function refuseTaken(
  session: Session,
  relayerId: RelayerId,
  { externalId }: Labels,
  field: string,
): Promise<void> {
  if (externalId === undefined) return
  const holder = await session.holderOf(relayerId, externalId)
  if (holder) throw takenBy(holder, field, externalId)
}

export async function storeLabeled(
  session: Session,
  transaction: Transaction,
  { labels }: SendRequest,
  { now, requester }: { readonly now: TimestampMs; readonly requester?: Requester },
): Promise<void> {
  const { id, relayerId } = transaction
  await session.insertTransaction(transaction)
  if (labels) await session.insertLabels(transaction, labels)
  if (!requester) return
  session.recordAudit(allowed(requester, now, { relayerId, transactionId: id, ...(labels && { labels }) }))
}
