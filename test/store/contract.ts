// What every store must do, whatever database stands behind it. Each database runs the same suite.
import { describe } from 'vitest'
import type { Address, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { PageItem } from '../../src/store/list-port.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { queued, somePolicies, someRelayer } from '../domain/some.ts'
import { anchorContract } from './contract-anchors.ts'
import { apiKeyContract } from './contract-api-keys.ts'
import { attentionContract } from './contract-attention.ts'
import { auditContract } from './contract-audit.ts'
import { bulkContract } from './contract-bulk.ts'
import { bulkEventContract } from './contract-bulk-events.ts'
import { bulkLimitContract } from './contract-bulk-limits.ts'
import { bulkObjectContract } from './contract-bulk-objects.ts'
import { bulkPreviewContract } from './contract-bulk-previews.ts'
import { changedContract } from './contract-changed.ts'
import { claimContract } from './contract-claims.ts'
import { contradictionContract } from './contract-contradictions.ts'
import { dashboardContract } from './contract-dashboard.ts'
import { deliveryContract } from './contract-deliveries.ts'
import { figureContract } from './contract-figures.ts'
import { foreignUseContract } from './contract-foreign-uses.ts'
import { gapContract } from './contract-gaps.ts'
import { giveUpContract } from './contract-give-ups.ts'
import { labelContract } from './contract-labels.ts'
import { modelContract } from './contract-model.ts'
import { networkPauseContract } from './contract-network-pauses.ts'
import { nodeReportContract } from './contract-node-reports.ts'
import { overdueContract } from './contract-overdue.ts'
import { ownerReportContract } from './contract-owner-reports.ts'
import { ownerContract } from './contract-owners.ts'
import { pageContract } from './contract-pages.ts'
import { presignedContract } from './contract-presigned.ts'
import { readContract } from './contract-reads.ts'
import { registryContract } from './contract-registry.ts'
import { retentionContract } from './contract-retention.ts'
import { rowContract } from './contract-rows.ts'
import { tipContract } from './contract-tips.ts'
import { unitContract } from './contract-units.ts'
import { unsettledContract } from './contract-unsettled.ts'

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store
  /** Reads the tables beside the store: committed rows, without the store's memory. */
  query<Row>(sql: string): Promise<readonly Row[]>
}

export type OpenStore = () => Promise<StoreUnderTest>

export function storeContract(database: string, open: OpenStore): void {
  describe(`the store on ${database}`, () => {
    describe('rows', () => rowContract(open))
    describe('reads', () => readContract(open))
    describe('pages of large items', () => pageContract(open))
    describe('reads of what changed', () => changedContract(open))
    describe('units', () => unitContract(open))
    describe('transactions that wait for finality', () => unsettledContract(open))
    describe('owners', () => ownerContract(open))
    describe('API keys', () => apiKeyContract(open))
    describe('the audit log', () => auditContract(open))
    describe('idempotency keys', () => claimContract(open))
    describe('names of transactions', () => labelContract(open))
    describe('the registry', () => registryContract(open))
    describe('bulk cancellation', () => bulkContract(open))
    describe('objects of bulk cancellation', () => bulkObjectContract(open))
    describe('events of bulk cancellation', () => bulkEventContract(open))
    describe('limits of bulk cancellations', () => bulkLimitContract(open))
    describe('previews of bulk cancellations', () => bulkPreviewContract(open))
    describe('counts and events', () => modelContract(open))
    describe('pre-signed no-ops', () => presignedContract(open))
    describe('gap fillers', () => gapContract(open))
    describe('foreign uses of keys', () => foreignUseContract(open))
    describe('payloads that every node refused', () => giveUpContract(open))
    describe('believed tips', () => tipContract(open))
    describe('anchors', () => anchorContract(open))
    describe('contradictions', () => contradictionContract(open))
    describe('reports of nodes', () => nodeReportContract(open))
    describe('owner_reports', () => ownerReportContract(open))
    describe('events of relayers', () => attentionContract(open))
    describe('pauses of networks', () => networkPauseContract(open))
    describe('deliveries', () => deliveryContract(open))
    describe('deliveries whose day is over', () => overdueContract(open))
    describe('retention', () => retentionContract(open))
    describe('the dashboard', () => dashboardContract(open))
    describe('figures of five minutes', () => figureContract(open))
  })
}

export async function allOf<T>(items: readonly PageItem<T>[] = []): Promise<T[]> {
  const read = await Promise.all(items.map((item) => item.read()))
  return read.filter((each) => each !== undefined)
}

let relayersMade = 0
/** A relayer of its own, with an address of its own, stored. */
export async function storedRelayer(store: Store, policies: Partial<Policies> = {}): Promise<Relayer> {
  relayersMade += 1
  const relayer = someRelayer({
    id: `relayer-${relayersMade}` as RelayerId,
    address: `0x${relayersMade.toString(16).padStart(40, '0')}` as Address,
    policies: { ...somePolicies, ...policies },
  })
  await store.commit((session) => session.saveRelayer(relayer))
  return relayer
}

let transactionsMade = 0
export function freshId(): TransactionId {
  transactionsMade += 1
  return `transaction-${transactionsMade}` as TransactionId
}

/** The next of the relayer's queue, stored. */
export function send(store: Store, relayer: RelayerId, changes: Partial<Transaction> = {}): Promise<Transaction> {
  return store.commit((session) => sendWithin(session, relayer, changes), relayer)
}

export async function sendWithin(
  session: Session,
  relayerId: RelayerId,
  changes: Partial<Transaction> = {},
): Promise<Transaction> {
  const next = await session.reserveSequence(relayerId)
  if (!next) throw new Error(`no relayer ${relayerId}`)
  const { lifecycle, ...others } = changes
  const inQueue = queued(next.sequence, { id: freshId(), relayerId, ...others })
  const transaction = lifecycle ? { ...inQueue, lifecycle } : inQueue
  await session.insertTransaction(transaction)
  return transaction
}
