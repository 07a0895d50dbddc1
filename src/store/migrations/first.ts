// The whole schema, by subject. Amounts are text: 2^256 fits no integer column. A migration that was published is never edited.
import type { Migration } from './migration.ts'
import { ofAccess } from './of-access.ts'
import { ofBulks } from './of-bulks.ts'
import { ofCounts } from './of-counts.ts'
import { ofEvents } from './of-events.ts'
import { ofNetworks } from './of-networks.ts'
import { ofRelayers } from './of-relayers.ts'
import { ofTransactions } from './of-transactions.ts'

export const first: Migration = {
  name: '001-first',
  statements: [...ofRelayers, ...ofTransactions, ...ofBulks, ...ofEvents, ...ofCounts, ...ofNetworks, ...ofAccess],
}
