// Reads what the first of a queue cost, without their data.
import type { QueuedSend } from '../../domain/decide/queue/top-up.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { type Executor, statement } from '../statement.ts'
import { isNotTaken } from './bulk-mark.ts'
import { type PricingColumns, pricingColumns, pricingFromRow } from './payload-row.ts'
import type { TransactionRow } from './transaction-row.ts'

const first = statement<
  { relayerId: RelayerId; limit: number },
  Pick<TransactionRow, 'value' | 'gas_limit'> & PricingColumns
>((db, p) =>
  db
    .selectFrom('transactions')
    .select(['value', 'gas_limit', ...pricingColumns])
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .orderBy('sequence')
    .limit(p.limit),
)

export async function readQueuedSends(
  executor: Executor,
  relayerId: RelayerId,
  limit: number,
): Promise<readonly QueuedSend[]> {
  const rows = await executor.all(first, { relayerId, limit })
  return rows.map(({ value, gas_limit: gasLimit, ...pricing }) => ({
    value: BigInt(value),
    ...(gasLimit !== null && { gasLimit }),
    pricing: pricingFromRow(pricing),
  }))
}
