// Mounts the operations on bulk cancellations.
import type { BulkStops } from '../../commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../commands/context.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { createBulk } from './create-bulk.ts'
import { getBulk } from './get-bulk.ts'
import { listBulkTransactions } from './list-bulk-transactions.ts'
import { listBulks } from './list-bulks.ts'
import { previewBulk } from './preview-bulk.ts'

export function bulkRoutes(
  at: Mounting,
  commands: CommandContext,
  stops: Pick<BulkStops, 'stopAll' | 'costingOf' | 'reckoning'>,
): void {
  const { reads } = commands.store
  const one = '/bulk-cancellations/:bulk_cancellation_id'
  mount(at, 'POST', '/bulk-cancellations', createBulk(commands, stops))
  mount(at, 'POST', '/bulk-cancellations/preview', previewBulk(commands, stops))
  mount(at, 'GET', '/bulk-cancellations', listBulks(reads))
  mount(at, 'GET', one, getBulk(reads))
  mount(at, 'GET', `${one}/transactions`, listBulkTransactions(reads))
}
