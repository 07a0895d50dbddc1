// The nodes of a replica's networks as the replica sees them, as stored: any replica shows them without a call to a node.
import type { ReplacementRule } from './fees.ts'
import type { Hash, RelayerId } from './ids.ts'
import { isOver, type Patience } from './patience.ts'
import type { BlockNumber, TimestampMs } from './units.ts'

/** Why an endpoint is not used as it would be otherwise. */
export const nodeConditions = [
  /** The endpoint serves another chain, by its chain id or the block of the anchor. */
  'wrong_chain',
  /** The endpoint holds one of several branches that equally many endpoints hold. */
  'branches_differ',
  /** Most endpoints hold another branch. */
  'outvoted',
  /** The endpoint answered about another thing than the call named. */
  'strayed',
  /** The endpoint's last requests got no answer. */
  'no_answer',
  /** Others have left its head behind. */
  'lagging',
  /** The endpoint has not shown yet which chain it serves. */
  'unverified',
] as const
export type NodeCondition = (typeof nodeConditions)[number]

interface RestFacts {
  readonly restsUntil: TimestampMs
}

export type WrongChainFacts =
  | { readonly expectedChain: number; readonly servedChain: number }
  | { readonly block: BlockNumber; readonly expectedHash: Hash; readonly shownHash: Hash }

/** `block`, `hash`: the endpoint's head. */
export type NodeReason =
  | { readonly condition: 'wrong_chain'; readonly facts: WrongChainFacts & RestFacts }
  | { readonly condition: 'branches_differ'; readonly facts: { readonly block: BlockNumber; readonly hash: Hash } }
  | { readonly condition: 'outvoted'; readonly facts: RestFacts }
  | { readonly condition: 'strayed'; readonly facts: RestFacts & { readonly method: string; readonly inRow: number } }
  | { readonly condition: 'no_answer'; readonly facts: RestFacts & { readonly inRow: number } }
  | { readonly condition: 'lagging'; readonly facts: Partial<RestFacts> & { readonly behind?: number } }
  | { readonly condition: 'unverified'; readonly facts: Readonly<Record<string, never>> }

export interface NodeHead {
  readonly number: BlockNumber
  /** The block's own time. */
  readonly madeAt: TimestampMs
  readonly readAt: TimestampMs
  /** How many blocks the head that the replica believed then was above it. */
  readonly behind: number
}

/** Calls of the last hour, or since `since` where that is later. */
export interface NodeCalls {
  readonly since: TimestampMs
  readonly total: number
  /** Refused by the node, as a call that reverts is, too. */
  readonly rpcErrors: number
  /** A time-out, a lost connection, a rate limit, an answer that is none. */
  readonly unanswered: number
  /** No connection was made. */
  readonly unsent: number
}

/** `words`: without a URL, a key or a header. */
export interface NodeFailure {
  readonly at: TimestampMs
  readonly method: string
  readonly kind: 'unanswered' | 'unsent'
  /** The status of an HTTP answer that holds no JSON-RPC. */
  readonly status?: number
  readonly words: string
}

interface NodeRpcError {
  readonly at: TimestampMs
  readonly method: string
  readonly code: number
  readonly words: string
}

/** Latencies of the last answered calls, at most `latencyCallsMax`. */
export interface NodeLatency {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly calls: number
}

export interface NodeView {
  /** The endpoint's position in the configuration. */
  readonly endpoint: number
  /** The host of its URL, never more of it. */
  readonly host: string
  readonly weight: number
  /** The client's own name, as `Geth/v1.17.0-stable/linux-amd64/go1.25`. */
  readonly client?: string
  /** How its client's pool compares a replacement. Absent until it has named its client. */
  readonly replacement?: { readonly measure: ReplacementRule['measure']; readonly percent: number }
  readonly chainId?: number
  readonly head?: NodeHead
  readonly calls: NodeCalls
  readonly latency?: NodeLatency
  readonly lastFailure?: NodeFailure
  readonly lastRpcError?: NodeRpcError
  /** Empty if the endpoint is used. */
  readonly reasons: readonly NodeReason[]
}

/** The endpoints of a network, or of a relayer with endpoints of its own. */
export interface NetworkNodes {
  readonly network: string
  readonly chainId: number
  readonly relayer?: RelayerId
  readonly nodes: readonly NodeView[]
}

/** The nodes as one replica sees them. */
export interface NodeReport {
  readonly replica: string
  readonly readAt: TimestampMs
  readonly networks: readonly NetworkNodes[]
}

export const latencyCallsMax = 500

/** Two blocks, as one is how news travels, and so much time of blocks: fast chains make many between two readings. */
const lagShown: Patience = { blocks: 2, ms: 10_000 }

/** A rest for lag ends soon, and the endpoint is read again: the last reading shows that it still lags. */
export function withLag(view: NodeView, blocktimeMs: number): NodeView {
  const behind = view.head?.behind ?? 0
  const isBehind = isOver(lagShown, { block: 0, ms: 0 }, { block: behind, ms: behind * blocktimeMs })
  const isShown = view.reasons.some(({ condition }) => condition === 'lagging')
  if (!isBehind || isShown) return view
  return { ...view, reasons: [...view.reasons, { condition: 'lagging', facts: { behind } }] }
}

/** A replica writes every ten seconds, and at least so often where nothing has changed. */
export const nodeReportUnchangedMs = 30_000
/** A replica whose report is older than this has stopped, or can't write. */
const nodeReportStaleMs = 60_000
/** Reports that are older are deleted. */
export const nodeReportKeptMs = 900_000

export const nodeStates = ['ok', 'unverified', 'impaired', 'distrusted'] as const
type NodeState = (typeof nodeStates)[number]

const distrusting: readonly NodeCondition[] = ['wrong_chain', 'branches_differ', 'outvoted', 'strayed']

export function nodeStateOf({ reasons }: Pick<NodeView, 'reasons'>): NodeState {
  if (reasons.some(({ condition }) => distrusting.includes(condition))) return 'distrusted'
  if (reasons.length === 0) return 'ok'
  return reasons.every(({ condition }) => condition === 'unverified') ? 'unverified' : 'impaired'
}

/** The reason in words, for people. */
export function nodeSentence({ condition, facts }: NodeReason): string {
  switch (condition) {
    case 'wrong_chain':
      return 'servedChain' in facts
        ? `serves chain ${facts.servedChain}, not ${facts.expectedChain}`
        : `shows ${facts.shownHash} as block ${facts.block}, and the anchor of the network is ${facts.expectedHash}`
    case 'branches_differ':
      return `holds ${facts.hash} as block ${facts.block}, and as many endpoints hold another branch: nothing is settled meanwhile`
    case 'outvoted':
      return 'holds another branch than most endpoints'
    case 'strayed':
      return `answered ${facts.method} about another thing than the call named${times(facts.inRow)}`
    case 'no_answer':
      return facts.inRow === 1 ? 'did not answer the last request' : `did not answer the last ${facts.inRow} requests`
    case 'lagging':
      return facts.behind ? `its head is ${plural(facts.behind, 'block')} behind` : 'its head is behind those of others'
    case 'unverified':
      return 'has not shown yet which chain it serves'
  }
}

function times(inRow: number): string {
  return inRow === 1 ? '' : `, ${inRow} times in a row`
}

function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/**
 * - `degraded`: an endpoint is impaired or distrusted. `down`: no endpoint answers for this chain.
 * - `unreported`: no replica that runs advances a relayer of the network.
 */
export const networkNodesStates = ['ok', 'degraded', 'down', 'unreported'] as const
type NetworkNodesState = (typeof networkNodesStates)[number]

/** `views`: of each replica that runs. The worst of them counts. */
export function networkNodesStateOf(views: readonly (readonly NodeView[])[]): NetworkNodesState {
  if (views.length === 0) return 'unreported'
  if (views.some((nodes) => nodes.every(isOut))) return 'down'
  return views.flat().some((node) => ['impaired', 'distrusted'].includes(nodeStateOf(node))) ? 'degraded' : 'ok'
}

function isOut({ reasons }: NodeView): boolean {
  return reasons.some(({ condition }) => condition === 'no_answer' || condition === 'wrong_chain')
}

export function isStale({ readAt }: Pick<NodeReport, 'readAt'>, now: TimestampMs): boolean {
  return now - readAt > nodeReportStaleMs
}

/** The highest head among endpoints that are not distrusted. */
export function bestHeadOf(nodes: readonly NodeView[]): NodeHead | undefined {
  const heads = nodes.flatMap((node) => (node.head && nodeStateOf(node) !== 'distrusted' ? [node.head] : []))
  return heads.reduce<NodeHead | undefined>(
    (best, head) => (best && best.number >= head.number ? best : head),
    undefined,
  )
}
