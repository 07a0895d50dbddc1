// The client of the HTTP API, exported as `rescind/client`. It needs fetch, and nothing else.
import type {
  ApiKeyInput,
  ApiKeyView,
  GapFillerPermitInput,
  GapFillerPermitView,
  NewApiKeyView,
  ReadinessView,
  RelayerStatusView,
  RelayerView,
  SignerProbeView,
  SweepInput,
  SweepView,
} from './account-types.ts'
import type {
  BulkHeadView,
  BulkInput,
  BulkPreviewInput,
  BulkPreviewView,
  BulkTransactionView,
  BulkView,
} from './bulk-types.ts'
import type { ListedTraceView, TraceView } from './dashboard-types.ts'
import type { EventView } from './event-types.ts'
import { type EventFilter, followEvents } from './events.ts'
import type { NetworkNodesView, NetworkPauseInput, NetworkView, NotificationView } from './record-types.ts'
import type { AcknowledgmentInput, OverviewView, RelayerConditionView } from './relayer-types.ts'
import { type ApiPage, type Connection, requestData, requestPage } from './request.ts'
import type {
  AttemptView,
  BulkCancellationView,
  CancellationPreviewView,
  CancellationView,
  HoldView,
  ReleaseInput,
  ReleaseOfInput,
  ReleaseResultView,
  ReplaceInput,
  SendInput,
  TransactionView,
} from './transaction-types.ts'

export type * from './account-types.ts'
export type * from './bulk-types.ts'
export type * from './dashboard-types.ts'
export type * from './event-types.ts'
export type { EventFilter } from './events.ts'
export type * from './record-types.ts'
export type * from './relayer-types.ts'
export type { ApiPage, Connection } from './request.ts'
export { ApiError, NoAnswer } from './request.ts'
export type * from './shared-types.ts'
export type * from './transaction-types.ts'

export interface Paging {
  /** From 1. */
  readonly page?: number
  /** 10 unless given, at most 1,000. */
  readonly perPage?: number
}

/** Each member narrows the list, and bounds are inclusive. Amounts are wei as decimals, times are RFC 3339. */
export interface TransactionFilterInput {
  readonly status?: TransactionView['status']
  /** How its cancellation stands. */
  readonly verdict?: CancellationView['state']
  readonly to?: string
  readonly nonce_from?: number
  readonly nonce_to?: number
  readonly created_from?: string
  readonly created_to?: string
  readonly value_from?: string
  readonly value_to?: string
  /** The beginning of an id or, with 0x, of the hash of an attempt. */
  readonly text?: string
  readonly external_id?: string
  readonly tag?: string
  /** `next` of an earlier page, or an id: the list begins with the one before it. Without `page`. */
  readonly before?: string
}

/** Absent members stay, and null restores a default (RFC 7396). */
export interface RelayerPatchInput {
  readonly name?: string
  readonly notification_id?: string | null
  readonly paused?: boolean
  /** By name, each with its new value. */
  readonly policies?: Readonly<Record<string, unknown>> | null
}

/** Every function throws ApiError for a refusal or a failure of the service, and NoAnswer without an answer. */
export interface Client {
  readiness(): Promise<ReadinessView>

  relayers(paging?: Paging): Promise<ApiPage<RelayerView>>
  relayer(relayerId: string): Promise<RelayerView>
  relayerStatus(relayerId: string): Promise<RelayerStatusView>
  /** Calls no node: states, conditions and balances are those of the last observation of each relayer. */
  overview(paging?: Paging): Promise<ApiPage<OverviewView>>
  /** Calls no node: the endpoints of each network are those that the replicas wrote last. */
  nodes(paging?: Paging): Promise<ApiPage<NetworkNodesView>>
  relayerOverview(relayerId: string): Promise<OverviewView>
  /** Each with its last failure, if its last request failed. */
  notifications(paging?: Paging): Promise<ApiPage<NotificationView>>

  /**
   * With an `idempotencyKey`, the same call may be repeated: one transaction is stored. An `external_id` that another transaction has is
   * refused by EXTERNAL_ID_TAKEN, whose `transactionId` names that one.
   */
  send(relayerId: string, input: SendInput, options?: { readonly idempotencyKey?: string }): Promise<TransactionView>
  /** Newest first. */
  transactions(relayerId: string, filter?: Paging & TransactionFilterInput): Promise<ApiPage<TransactionView>>
  /** The same list, each with its wait and its verdict. */
  traces(relayerId: string, filter?: Paging & TransactionFilterInput): Promise<ApiPage<ListedTraceView>>
  transaction(relayerId: string, transactionId: string): Promise<TransactionView>
  /** With its wait, its attempts and its verdict. */
  trace(relayerId: string, transactionId: string): Promise<TraceView>
  /** Oldest first. */
  attempts(relayerId: string, transactionId: string): Promise<readonly AttemptView[]>
  /**
   * The transactions that hold nonces, lowest first, a hundred at most. Without `from`, the list begins a few nonces before the lowest
   * open one.
   */
  nonces(relayerId: string, filter?: { readonly from?: number }): Promise<readonly TraceView[]>

  /** Another payload for the same nonce. The earlier one may still be mined until this one is. */
  replace(relayerId: string, transactionId: string, input: ReplaceInput): Promise<TransactionView>
  /** Until when the transaction is on hold, by which rule and which key, and why. */
  hold(relayerId: string, transactionId: string): Promise<HoldView>
  /**
   * Ends a hold. Of a transaction that is not on hold, it changes nothing. Under four eyes it needs the `payload_digest` of the hold whose
   * payload you compared.
   */
  release(relayerId: string, transactionId: string, input?: ReleaseInput): Promise<TransactionView>
  /** At most 500, in one commit, with a result for each. */
  releaseMany(relayerId: string, releases: readonly ReleaseOfInput[]): Promise<readonly ReleaseResultView[]>
  /** The cancellation is durable when this resolves. With `waitSeconds`, 1 to 60, it waits for a final verdict. */
  cancel(
    relayerId: string,
    transactionId: string,
    options?: { readonly waitSeconds?: number },
  ): Promise<TransactionView>
  /** The verdict on a cancellation. */
  cancellation(relayerId: string, transactionId: string): Promise<CancellationView>
  cancelPending(relayerId: string): Promise<BulkCancellationView>
  /** It has no amounts where no node answers. The cancellation needs no node. */
  previewCancellation(relayerId: string): Promise<CancellationPreviewView>

  /**
   * Each relayer has stopped, or is being stopped, when this resolves. The same call with the same `idempotencyKey` may be repeated: it
   * returns the same bulk cancellation, and takes nothing that was sent since.
   */
  createBulkCancellation(input: BulkInput, options: { readonly idempotencyKey: string }): Promise<BulkView>
  /** Stores nothing. Its `instant` as `filter.created_to` and its `counts.matches` as `at_most` bound the request that follows. */
  previewBulkCancellation(input: BulkPreviewInput): Promise<BulkPreviewView>
  /** Newest first. */
  bulkCancellations(paging?: Paging): Promise<ApiPage<BulkHeadView>>
  /** With its progress at each relayer. */
  bulkCancellation(bulkCancellationId: string): Promise<BulkView>
  /** Those that it canceled, each with its verdict, as far as retention kept them. */
  bulkCancellationTransactions(bulkCancellationId: string, paging?: Paging): Promise<ApiPage<BulkTransactionView>>

  updateRelayer(relayerId: string, patch: RelayerPatchInput): Promise<RelayerView>
  /** Until the condition is over. */
  acknowledge(relayerId: string, condition: string, input: AcknowledgmentInput): Promise<RelayerConditionView>
  withdrawAcknowledgment(relayerId: string, condition: string): Promise<RelayerConditionView>

  networks(paging?: Paging): Promise<ApiPage<NetworkView>>
  /** All of its relayers, by a mark of its own. `networkId`: such as `evm:sepolia`. */
  pauseNetwork(networkId: string, input?: NetworkPauseInput): Promise<NetworkView>
  /** Relayers that were paused themselves stay paused. */
  resumeNetwork(networkId: string): Promise<NetworkView>

  /** Replaces an earlier permit. */
  permitGapFillers(relayerId: string, input: GapFillerPermitInput): Promise<GapFillerPermitView>

  /** Empties the account. While it is under way, the same call returns it again. To call it off, cancel its transaction. */
  sweep(relayerId: string, input: SweepInput): Promise<SweepView>
  /** The last one. */
  getSweep(relayerId: string): Promise<SweepView>

  /** Signs a fixed text, and shows no signature. */
  probeSigner(signerId: string): Promise<SignerProbeView>

  /** Events as they happen, resumed by itself after a lost connection, until the filter's signal aborts. */
  events(filter?: EventFilter): AsyncGenerator<EventView, void>

  /** Newest first. */
  apiKeys(paging?: Paging): Promise<ApiPage<ApiKeyView>>
  createApiKey(input: ApiKeyInput): Promise<NewApiKeyView>
  revokeApiKey(apiKeyId: string): Promise<ApiKeyView>
}

/** Opens no connection by itself. */
export function openClient(connection: Connection): Client {
  const id = encodeURIComponent
  const at = (relayerId: string, rest: string) => `/relayers/${id(relayerId)}${rest}`
  const one = (relayerId: string, transactionId: string, rest = '') =>
    at(relayerId, `/transactions/${id(transactionId)}${rest}`)
  const acknowledgment = (relayerId: string, condition: string) =>
    at(relayerId, `/conditions/${id(condition)}/acknowledgment`)
  const { get, list } = readsOver(connection)

  return {
    readiness: () => get('/ready'),

    relayers: (paging) => list('/relayers', paging),
    relayer: (relayerId) => get(at(relayerId, '')),
    relayerStatus: (relayerId) => get(at(relayerId, '/status')),
    overview: (paging) => list('/overview', paging),
    nodes: (paging) => list('/nodes', paging),
    notifications: (paging) => list('/notifications', paging),
    relayerOverview: (relayerId) => get(at(relayerId, '/overview')),

    send: (relayerId, body, { idempotencyKey } = {}) =>
      requestData(connection, {
        ...{ method: 'POST', path: at(relayerId, '/transactions'), body },
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      }),
    transactions: (relayerId, filter) => list(at(relayerId, '/transactions'), filter),
    traces: (relayerId, filter) => list(at(relayerId, '/traces'), filter),
    transaction: (relayerId, transactionId) => get(one(relayerId, transactionId)),
    trace: (relayerId, transactionId) => get(one(relayerId, transactionId, '/trace')),
    attempts: (relayerId, transactionId) => get(one(relayerId, transactionId, '/attempts')),
    nonces: (relayerId, { from } = {}) =>
      requestData(connection, { method: 'GET', path: at(relayerId, '/nonces'), query: { from } }),

    replace: (relayerId, transactionId, body) =>
      requestData(connection, { method: 'PUT', path: one(relayerId, transactionId), body }),
    ...holdsOver(connection, { at, one }),
    cancel: (relayerId, transactionId, { waitSeconds } = {}) =>
      requestData(connection, {
        ...{ method: 'DELETE', path: one(relayerId, transactionId) },
        headers: waitSeconds === undefined ? {} : { prefer: `wait=${waitSeconds}` },
        patienceMs: (waitSeconds ?? 0) * 1000,
      }),
    cancellation: (relayerId, transactionId) => get(one(relayerId, transactionId, '/cancellation')),
    cancelPending: (relayerId) =>
      requestData(connection, { method: 'DELETE', path: at(relayerId, '/transactions/pending') }),
    previewCancellation: (relayerId) => get(at(relayerId, '/transactions/pending/cancellation-preview')),

    ...bulkRequests(connection),

    updateRelayer: (relayerId, body) => requestData(connection, { method: 'PATCH', path: at(relayerId, ''), body }),
    acknowledge: (relayerId, condition, body) =>
      requestData(connection, { method: 'PUT', path: acknowledgment(relayerId, condition), body }),
    withdrawAcknowledgment: (relayerId, condition) =>
      requestData(connection, { method: 'DELETE', path: acknowledgment(relayerId, condition) }),

    ...networksOver(connection),

    permitGapFillers: (relayerId, body) =>
      requestData(connection, { method: 'POST', path: at(relayerId, '/gap-fillers'), body }),

    sweep: (relayerId, body) => requestData(connection, { method: 'POST', path: at(relayerId, '/sweep'), body }),
    getSweep: (relayerId) => get(at(relayerId, '/sweep')),

    probeSigner: (signerId) => requestData(connection, { method: 'POST', path: `/signers/${id(signerId)}/probe` }),

    events: (filter = {}) => followEvents(connection, filter),

    apiKeys: (paging) => list('/api-keys', paging),
    createApiKey: (body) => requestData(connection, { method: 'POST', path: '/api-keys', body }),
    revokeApiKey: (apiKeyId) => requestData(connection, { method: 'DELETE', path: `/api-keys/${id(apiKeyId)}` }),
  }
}

interface Paths {
  at(relayerId: string, rest: string): string
  one(relayerId: string, transactionId: string, rest?: string): string
}

function holdsOver(connection: Connection, { at, one }: Paths): Pick<Client, 'hold' | 'release' | 'releaseMany'> {
  return {
    hold: (relayerId, transactionId) =>
      requestData(connection, { method: 'GET', path: one(relayerId, transactionId, '/hold') }),
    release: (relayerId, transactionId, body = {}) =>
      requestData(connection, { method: 'POST', path: one(relayerId, transactionId, '/release'), body }),
    releaseMany: (relayerId, transactions) =>
      requestData(connection, {
        ...{ method: 'POST', path: at(relayerId, '/transactions/release') },
        body: { transactions },
      }),
  }
}

function networksOver(connection: Connection): Pick<Client, 'networks' | 'pauseNetwork' | 'resumeNetwork'> {
  const pause = (networkId: string) => `/networks/${encodeURIComponent(networkId)}/pause`
  return {
    networks: (paging) => readsOver(connection).list('/networks', paging),
    pauseNetwork: (networkId, body = {}) => requestData(connection, { method: 'PUT', path: pause(networkId), body }),
    resumeNetwork: (networkId) => requestData(connection, { method: 'DELETE', path: pause(networkId) }),
  }
}

function readsOver(connection: Connection) {
  return {
    get: <T>(path: string) => requestData<T>(connection, { method: 'GET', path }),
    list: <T>(path: string, { page, perPage, ...filter }: Paging & TransactionFilterInput = {}) =>
      requestPage<T>(connection, { method: 'GET', path, query: { page, per_page: perPage, ...filter } }),
  }
}

type BulkRequests = Pick<
  Client,
  | 'createBulkCancellation'
  | 'previewBulkCancellation'
  | 'bulkCancellations'
  | 'bulkCancellation'
  | 'bulkCancellationTransactions'
>

function bulkRequests(connection: Connection): BulkRequests {
  const { get, list } = readsOver(connection)
  const all = '/bulk-cancellations'
  const one = (bulkId: string) => `${all}/${encodeURIComponent(bulkId)}`
  return {
    createBulkCancellation: (body, { idempotencyKey }) =>
      requestData(connection, { method: 'POST', path: all, body, headers: { 'idempotency-key': idempotencyKey } }),
    previewBulkCancellation: (body) => requestData(connection, { method: 'POST', path: `${all}/preview`, body }),
    bulkCancellations: (paging) => list(all, paging),
    bulkCancellation: (bulkId) => get(one(bulkId)),
    bulkCancellationTransactions: (bulkId, paging) => list(`${one(bulkId)}/transactions`, paging),
  }
}
