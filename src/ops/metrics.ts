// The service's metrics, as plain functions that are passed in like the clock. Each part reports its own facts, and
// never reads them back.
import type { AttemptKind } from '../domain/attempt.ts'
import type { CancellationState } from '../domain/cancel.ts'
import type { GivenUp, QueueCount, Tried } from '../domain/delivery.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { RelayerObserver } from '../domain/relayer-observer.ts'
import type { FundsWarning } from '../domain/runway.ts'
import type { CancellationIntent, Status } from '../domain/transaction.ts'
import type { BlockNumber, TimestampMs, Wei } from '../domain/units.ts'

export interface Metrics {
  readonly http: HttpMetrics
  readonly store: StoreMetrics
  readonly relayers: RelayerMetrics
  readonly webhooks: WebhookMetrics
  readonly signers: SignerMetrics
  readonly process: ProcessMetrics
  chain(network: string, blocktimeMs: number): ChainMetrics
}

export interface ProcessMetrics {
  /** A line of the log could not be written. */
  lineLost(): void
}

export interface HttpMetrics {
  /** Called once for each operation's id. Its result is called with every answer. */
  operation(id: string): (status: number, ms: number) => void
}

export interface StoreMetrics {
  /** A unit of work begins. The result is called at its end. */
  committing(): (end: 'durable' | 'refused' | 'failed') => void
  /** A durable change of one transaction. */
  changed(change: TransactionChange): void
  /** One bulk cancellation dropped `count` transactions at no cost. */
  dropped(relayer: RelayerId, count: number): void
  /** The size of SQLite's write-ahead log. */
  logBytes(bytes: number): void
}

export interface TransactionChange {
  readonly relayer: RelayerId
  readonly transaction: string
  /** The status before; absent for a new transaction. */
  readonly from?: Status
  readonly to: Status
  /** The time since the transaction was stored. */
  readonly afterMs: number
  readonly reason?: string
  /** The attempts signed with this change. */
  readonly signed: readonly AttemptKind[]
  /** For a canceled transaction that is final. */
  readonly verdict?: FinalVerdict
  /** The fees of a final transaction that one of our attempts mined, if all are reported. */
  readonly paid?: Wei
}

export interface FinalVerdict {
  readonly state: CancellationState
  readonly origin: CancellationIntent['origin']
  /** The cost; absent if no node reported it. */
  readonly cost?: Wei
  /** The time since the cancellation's request. */
  readonly afterMs: number
}

/** A listener of the engine's reports. A scrape adds the figures that it reads. */
export interface RelayerMetrics extends RelayerObserver {
  /** The current counts in the store. */
  counted(relayer: Relayer, transactions: Readonly<Record<Status | 'bytes', number>>): void
  /** Its funds, as of the owner's last report. */
  funded(relayer: Relayer, funds: FundsSample): void
}

export interface FundsSample {
  /** Absent without spending. */
  readonly runwayMs?: number
  readonly warnings: Readonly<Record<FundsWarning, boolean>>
}

export interface WebhookMetrics {
  /** The result of one request, once it is recorded. */
  tried(notification: string, result: Tried['result']): void
  /** Events given up because their day was over, and dead letters deleted because there were too many. */
  givenUp(notification: string, counts: Pick<GivenUp, 'givenUp' | 'dropped'>): void
  /** All of them, with the current counts in the store. */
  counted(queues: readonly QueueCount[]): void
}

/** Remote signers only. */
export interface SignerMetrics {
  /** One call to the key service ended. `wrong`: its signature is not of the key. */
  called(signer: string, result: KeyCallResult, ms: number): void
  /** A signature was delivered, `ms` after its request: the queue and the retries are part of it. */
  signed(signer: string, purpose: 'cancel' | 'replace' | 'payload' | 'statement' | 'presign', ms: number): void
  /** Whether it signs now, as far as its last calls show. */
  available(signer: string, isAvailable: boolean): void
  /** The calls a second that its quota admits now. */
  quota(signer: string, perSecond: number): void
}

export type KeyCallResult = 'signed' | 'throttled' | 'pending' | 'approval' | 'transient' | 'permanent' | 'wrong'

export interface ChainMetrics {
  /** A call to an endpoint, named by its index in the configuration, has ended after `ms`. */
  called(method: string, endpoint: number, answer: 'value' | 'rpcError' | 'unknown' | 'unsent', ms: number): void
  /** Whether the endpoint is up, from its last HTTP request, or because it serves another chain. */
  endpoint(index: number, up: boolean): void
  /** The endpoint reported a head that others have left behind. */
  lagged(index: number): void
  /** The endpoint began to serve another chain, or ceased to. */
  wrongChain(index: number, isWrong: boolean): void
  /** The endpoints began to hold two branches, as many one as the other, or ceased to. */
  branchesDiffer(differ: boolean): void
  /** How long all endpoints but those of one host have been silent as witnesses. */
  witnessSilence(ms: number): void
  /** The endpoint answered about another thing than the call named. */
  strayed(index: number): void
  /** The endpoint denied a spender that other endpoints showed, or showed one that they denied. */
  contradicted(index: number): void
  head(number: BlockNumber, at: TimestampMs): void
  /** The measured block time, or the configured one until there is a measurement. */
  blocktime(ms: number): void
  reorganized(blocks: number): void
  /** How many relayers follow the head; without any it is not read. */
  followed(by: number): void
}

export const noChainMetrics: ChainMetrics = {
  called: () => undefined,
  endpoint: () => undefined,
  lagged: () => undefined,
  wrongChain: () => undefined,
  branchesDiffer: () => undefined,
  witnessSilence: () => undefined,
  strayed: () => undefined,
  contradicted: () => undefined,
  head: () => undefined,
  blocktime: () => undefined,
  reorganized: () => undefined,
  followed: () => undefined,
}

/** Ignores all reports. */
export const noMetrics: Metrics = {
  http: { operation: () => () => undefined },
  process: { lineLost: () => undefined },
  store: {
    committing: () => () => undefined,
    changed: () => undefined,
    dropped: () => undefined,
    logBytes: () => undefined,
  },
  relayers: {
    observed: () => undefined,
    idle: () => undefined,
    surveyed: () => undefined,
    window: () => undefined,
    unreachable: () => undefined,
    failed: () => undefined,
    owned: () => undefined,
    released: () => undefined,
    accountInUse: () => undefined,
    foreignUse: () => undefined,
    counted: () => undefined,
    funded: () => undefined,
  },
  webhooks: { tried: () => undefined, givenUp: () => undefined, counted: () => undefined },
  signers: {
    called: () => undefined,
    signed: () => undefined,
    available: () => undefined,
    quota: () => undefined,
  },
  chain: () => noChainMetrics,
}
