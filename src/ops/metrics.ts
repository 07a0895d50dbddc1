// What the service counts, as plain functions that are passed in like the clock: each part is told by the one place that
// knows it. Nothing here is read back by what it counts.
import type { AttemptKind } from '../domain/attempt.ts'
import type { CancellationState } from '../domain/cancel.ts'
import type { Condition } from '../domain/condition.ts'
import type { QueueCount, Tried } from '../domain/delivery.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { CancellationIntent, Status } from '../domain/transaction.ts'
import type { BlockNumber, Nonce, TimestampMs, Wei } from '../domain/units.ts'

export interface Metrics {
  readonly http: HttpMetrics
  readonly store: StoreMetrics
  readonly relayers: RelayerMetrics
  readonly webhooks: WebhookMetrics
  chain(network: string, blocktimeMs: number): ChainMetrics
}

export interface HttpMetrics {
  /** By the operation's id, once: what it answers is called with every answer. */
  operation(id: string): (status: number, ms: number) => void
}

export interface StoreMetrics {
  /** A unit of work begins; what it answers is called at its end. */
  committing(): (end: 'durable' | 'refused' | 'failed') => void
  /** A durable change of one transaction. */
  changed(change: TransactionChange): void
  /** That so many were dropped by one bulk cancellation, for nothing. */
  dropped(relayer: RelayerId, count: number): void
}

export interface TransactionChange {
  readonly relayer: RelayerId
  readonly transaction: string
  /** Absent for one that is new. */
  readonly from?: Status
  readonly to: Status
  /** Since it was stored. */
  readonly afterMs: number
  readonly reason?: string
  /** What was signed for it. */
  readonly signed: readonly AttemptKind[]
  /** Final, and it was canceled. */
  readonly verdict?: FinalVerdict
  /** Final, and mined by what we signed: its fees, where they are known. */
  readonly paid?: Wei
}

export interface FinalVerdict {
  readonly state: CancellationState
  readonly origin: CancellationIntent['origin']
  /** Absent where no node told it. */
  readonly cost?: Wei
  /** Since it was asked for. */
  readonly afterMs: number
}

export interface RelayerMetrics {
  /** After a look at the chain. */
  looked(relayer: Relayer, sight: Sight): void
  /** Nothing is open: it does not look at the chain. */
  idle(relayer: Relayer): void
  /** No node answered. */
  unreachable(id: RelayerId): void
  /** A step failed in a way that nobody foresaw. */
  failed(id: RelayerId): void
  /** So many are this process's to advance, from now on. */
  owned(count: number): void
  /** Not this process's any more. */
  released(id: RelayerId): void
  /** As of now, by the store. */
  counted(relayer: Relayer, transactions: Readonly<Record<Status, number>>): void
  balance(id: RelayerId, wei: Wei): void
}

export interface WebhookMetrics {
  /** What came of one request, once it is recorded. */
  tried(notification: string, result: Tried['result']): void
  /** All of them, as of now, by the store. */
  counted(queues: readonly QueueCount[]): void
}

export interface Sight {
  readonly accountNonce: Nonce
  /** Of what is in flight. */
  readonly lowestNonce?: Nonce
  readonly inFlight: number
  /** When the oldest that is in flight or queued was stored. */
  readonly oldestAt?: TimestampMs
  readonly balance?: Wei
  readonly conditions: readonly Condition[]
}

export interface ChainMetrics {
  /** A call goes to an endpoint, by its place in the configuration; what it answers is called with how it ended. */
  calling(method: string, endpoint: number): (answer: 'value' | 'rpcError' | 'unknown' | 'unsent') => void
  /** By its last HTTP request, or because it serves another chain. */
  endpoint(index: number, up: boolean): void
  /** It told a head that others have left behind. */
  lagged(index: number): void
  head(number: BlockNumber, at: TimestampMs): void
  /** As measured, or as configured where nothing is. */
  blocktime(ms: number): void
  reorganised(blocks: number): void
  /** So many relayers follow the head; without any it is not read. */
  followed(by: number): void
}

export const noChainMetrics: ChainMetrics = {
  calling: () => () => undefined,
  endpoint: () => undefined,
  lagged: () => undefined,
  head: () => undefined,
  blocktime: () => undefined,
  reorganised: () => undefined,
  followed: () => undefined,
}

/** Counts nothing. */
export const noMetrics: Metrics = {
  http: { operation: () => () => undefined },
  store: { committing: () => () => undefined, changed: () => undefined, dropped: () => undefined },
  relayers: {
    looked: () => undefined,
    idle: () => undefined,
    unreachable: () => undefined,
    failed: () => undefined,
    owned: () => undefined,
    released: () => undefined,
    counted: () => undefined,
    balance: () => undefined,
  },
  webhooks: { tried: () => undefined, counted: () => undefined },
  chain: () => noChainMetrics,
}
