// Writes an event into the outbox, in the commit of the change that it describes.
import { appearanceOf, type EventKind } from '../../../domain/event.ts'
import type { Hash, RelayerId, TransactionId } from '../../../domain/ids.ts'
import { confirmedAtOf, isTerminal, type Status, statusOf, type Transaction } from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import { statusReasonOf } from '../../../domain/wait.ts'
import { inLists } from '../../in-lists.ts'
import type { Flag } from '../../schema.ts'
import { type Executor, statement } from '../../statement.ts'
import { storableText } from '../../values.ts'

interface Publication {
  relayerId: RelayerId
  id: TransactionId
  kind: EventKind
  status: Status
  statusReason: string | null
  terminal: Flag
  now: number
  nonce: number | null
  hash: Hash | null
  revision: number
  sentAt: number | null
  confirmedAt: number | null
}

const intoOutbox = `INSERT INTO outbox (relayer_id, transaction_id, kind, status, status_reason, terminal, occurred_at,
  nonce, hash, revision, sent_at, confirmed_at, notification_id)`

const publish = inLists(
  statement<Publication>((db, p) =>
    db.insertInto('outbox').values((eb) => ({
      relayer_id: p.relayerId,
      transaction_id: p.id,
      kind: p.kind,
      status: p.status,
      status_reason: p.statusReason,
      terminal: p.terminal,
      occurred_at: p.now,
      nonce: p.nonce,
      hash: p.hash,
      revision: p.revision,
      sent_at: p.sentAt,
      confirmed_at: p.confirmedAt,
      notification_id: eb.selectFrom('relayers').select('notification_id').where('id', '=', p.relayerId),
    })),
  ),
  {
    relayerId: 'text',
    id: 'text',
    kind: 'text',
    status: 'text',
    statusReason: 'text',
    terminal: 'integer',
    now: 'bigint',
    nonce: 'bigint',
    hash: 'text',
    revision: 'integer',
    sentAt: 'bigint',
    confirmedAt: 'bigint',
  },
  (given) => `${intoOutbox}
    SELECT given.*, (SELECT notification_id FROM relayers WHERE id = given."relayerId") FROM ${given}`,
  {
    alike: {
      but: 'id',
      write: (p) => `${intoOutbox}
        SELECT ${p.relayerId}, given, ${p.kind}, ${p.status}, ${p.statusReason}, ${p.terminal}, ${p.now}, ${p.nonce},
          ${p.hash}, ${p.revision}, ${p.sentAt}, ${p.confirmedAt},
          (SELECT notification_id FROM relayers WHERE id = ${p.relayerId})
        FROM unnest(${p.id}) AS given`,
    },
  },
)

export async function publishEvent(
  executor: Executor,
  kind: EventKind,
  transaction: Transaction,
  now: TimestampMs,
): Promise<void> {
  const terminal = isTerminal(transaction)
  // A transaction that ended never changes again, so its row keeps showing the event's state.
  const then = terminal ? { revision: 0 } : appearanceOf(transaction)
  await executor.all(publish, {
    relayerId: transaction.relayerId,
    id: transaction.id,
    kind,
    status: statusOf(transaction),
    statusReason: storableText(statusReasonOf(transaction)),
    terminal: terminal ? 1 : 0,
    now,
    nonce: then.nonce ?? null,
    hash: then.hash ?? null,
    revision: then.revision,
    sentAt: then.sentAt ?? null,
    confirmedAt: terminal ? null : (confirmedAtOf(transaction) ?? null),
  })
}
