// The options of one run, each with its unit. A seed draws all of them before the first step (draw-scenario.ts).
//
// A probability lies between 0 and 1. A time is in milliseconds of the run's own clock, an amount of money in wei.

import type { PendingCount } from '../chain/node.ts'
import type { Profile } from '../chain/profiles.ts'
import type { ReserveRules } from '../chain/reserve.ts'
import type { ChainKind } from '../chain/sequencer.ts'
import type { Liar } from '../lies/lie.ts'
import type { OutcomeOdds, RequestOutcome } from '../outcomes.ts'
import type { CustodyKind } from '../process/custody.ts'
import type { Action, ReplicaAction } from './actions.ts'
import type { FeeWorld } from './fees.ts'
import type { FinalityWorld } from './finality.ts'
import type { Operator, Policies } from './policies.ts'

export interface Scenario
  extends ChainOptions,
    NodeOptions,
    ClientOptions,
    OperatorOptions,
    SignerOptions,
    ProcessOptions,
    StorageOptions,
    StepOptions {}

/** How blocks are made, and when they are final. */
export interface ChainOptions {
  /** The average time between two blocks, in milliseconds, in the beginning. */
  readonly blocktimeMs: number
  /** How that time changes. Absent: it stays. */
  readonly paceChange?: PaceChange
  /** What a rollup with short blocks has. Absent: it is no such chain. */
  readonly rollup?: Rollup
  /** Ethereum, or a rollup: who orders transactions, and what data costs. */
  readonly kind: ChainKind
  /** A reorganization takes back at most this many blocks. Reorganizations of safe blocks may be deeper (`finality`). */
  readonly reorgMax: number
  /** When a block is final. Absent: at `confirmations`. */
  readonly finality?: FinalityWorld
  /** A block holds at most this many of the relayers' transactions. */
  readonly transactionsPerBlockMax: number
  /** Probability, for each block, that it holds a transaction which every pool has dropped by then. */
  readonly resurfacing: number
  /** The base fee, the tips and the money in the accounts. */
  readonly fees: FeeWorld
  /** Once the faults have stopped, the base fee rises above the cap of sends in flight. Absent: it does not. */
  readonly isFeeAboveCap?: true
  /** Once the faults have stopped, a first-come sequencer makes blocks without our transactions. Absent: it does not. */
  readonly isHeldBack?: true
  /** From some block on, gas has new rules. Absent: it keeps the rules that the service is configured with. */
  readonly gasFork?: GasFork
  /** Probability, for each block, that nodes show it and its payload never comes (EIP-7732). Absent: 0. */
  readonly emptySlots?: number
  /** The chain executes blocks after it orders them, and accounts need a reserve. Absent: it executes at once. */
  readonly reserve?: Reserve
}

/** A change of the block time. */
export interface PaceChange {
  /** It happens above this block. */
  readonly atBlock: number
  /** The block time from then on, in milliseconds. */
  readonly blocktimeMs: number
  /** The first block time returns after so many milliseconds. Infinite: never. */
  readonly lastsMs: number
}

/** A rollup with short blocks: foreign transactions wait for some seconds there, whoever orders them. */
export interface Rollup {
  /** Time passes by at most this much in a step, in milliseconds. */
  readonly stepMs: number
  /** The deposits at the head of each block show their nonces. Without it only receipts do. */
  readonly showsDepositNonce: boolean
  /** Probability, for each block, that one of its deposits is of a relayer's account, and spends a nonce. */
  readonly ownDeposits: number
  /** After this part of all steps, from 0 to 1, the sequencer takes back so many milliseconds of blocks. Absent: it never does. */
  readonly failover?: { readonly at: number; readonly ms: number }
}

/** When the gas rules change. */
export interface GasFork {
  /** The fork is announced after this part of all steps, from 0 to 1. */
  readonly at: number
  /** It happens this many blocks after the next block. */
  readonly delayBlocks: number
}

/** The reserve of an account, on a chain that executes late. */
export interface Reserve extends ReserveRules {
  /** No reorganization, theft or foreign transaction happens, so that no payload may revert for its reserve. */
  readonly isSteady: boolean
}

/** What nodes answer, and what happens to requests on their way. */
export interface NodeOptions {
  /** The client software of each node. */
  readonly profiles: readonly Profile[]
  /** Weight of each outcome of a request among those that fail. The action `changeFaults` sets how many requests fail. */
  readonly faults: Readonly<Record<RequestOutcome, number>>
  /** Outcomes of broadcasts alone, until the faults stop: nodes may answer each question, and fail at each broadcast. */
  readonly sendOutcomeOdds: OutcomeOdds
  /** What makes a missing nonce hard to see and to fill. */
  readonly gaps: Gaps
  /** The weight of each node's endpoint. Absent: all are equal. */
  readonly nodeWeights?: readonly number[] | undefined
  /** For each node: the milliseconds of a request, and of an answer. Absent: each takes a time of its own, whichever the node. */
  readonly latenciesMs?: readonly number[]
  /** Behind the only endpoint is a second backend, at most this many blocks behind. Absent: there is none. */
  readonly behindBlocks?: number
  /** Estimates of gas that fail at every node. Absent: they fail only for calls that revert. */
  readonly estimates?: FailingEstimates
  /** The node that lies, and its kinds of lies. Absent: every node is honest. */
  readonly liar: Liar | undefined
}

export interface FailingEstimates {
  /** Probability that a send or a replacement calls the contract whose calls always fail. */
  readonly failingCalls: number
  /** Probability, for each step, that no node estimates any call for a while. */
  readonly outages: number
}

/** What makes a missing nonce hard to see and to fill. */
export interface Gaps {
  /** For each node: its answer to a request for the pending transaction count. */
  readonly pendingCounts: readonly PendingCount[]
  /** Nodes call this many of sixteen gap fillers invalid, until 30 s after the faults stopped. */
  readonly tightGapFillers: number
}

/** What clients send, and how they cancel. */
export interface ClientOptions {
  /** Weight of payloads with too little gas, beside a weight of 8 for all others. */
  readonly invalidPayloads: number
  /** Half of the replacements repeat the payload that they replace. */
  readonly repeatsPayloads: boolean
  /** The sends of a relayer have one of this many external ids. Absent: sends have no labels. */
  readonly externalIds?: number
  /** Probability that a send or a replacement creates a contract. Absent: 0. */
  readonly creations?: number
  /** Probability that a send or a replacement requests a hold. Absent: 0. */
  readonly holds?: number
  /** Probability, for each step, of a cancellation with a limit of cost, or of another limit. Absent: 0. */
  readonly costBounds?: number
  /** Probability, for each step, of a bulk cancellation with a filter. Absent: 0. */
  readonly bulkObjects?: number
  /** Probability that such a bulk cancellation has a limit of cost, or pauses its relayers. Absent: 0. */
  readonly bulkTerms?: number
  /** Probability, for each step, of a preview of a bulk cancellation, or of the request that follows one. Absent: 0. */
  readonly bulkPreviews?: number
  /** Every relayer is under four eyes; the probability, for each step, of a release. Absent: no relayer is. */
  readonly fourEyes?: number
  /**
   * What clients do once the faults stop.
   * - `drain`: they wait for all transactions.
   * - `cancelAll`: they cancel everything pending.
   * - `plateau`: they cancel everything pending, and the base fee stays above the fee cap of the sends.
   */
  readonly ending: 'drain' | 'cancelAll' | 'plateau'
}

/** What the operator configures and does. */
export interface OperatorOptions {
  /** The number of relayers, 1 or 2. */
  readonly relayers: number
  /** The configured block time, in milliseconds. It may be wrong. */
  readonly configuredBlocktimeMs: number
  /** The configured confirmations. No reorganization is that deep, unless `finality` says so. */
  readonly confirmations: number
  /** The service sends transactions of type 2. */
  readonly eip1559: boolean
  /** The relayers' policies in the beginning, and again once the faults stop. */
  readonly policies: Policies
  /** How the operator changes policies and refills accounts. Absent: most policies keep their defaults. */
  readonly operator: Operator | undefined
  /** Probability, for each step, that the operator sweeps an account; half of it that a pause ends. Absent: 0. */
  readonly sweeps?: number
  /** Probability, for each step, that the operator pauses or resumes the network. Absent: 0. */
  readonly networkPauses?: number
  /** Owners observe idle relayers, and store what they observed. Absent: they do not. */
  readonly surveys?: true
  /** Owners look for foreign uses of their keys. Absent: they do not. */
  readonly foreignLooks?: true
}

/** Where the keys are. */
export interface SignerOptions {
  /** Probability, for each step, that the key service changes its behavior. Absent: the keys are in memory. */
  readonly signerChanges: number | undefined
  /** The key service makes one signature at a time, and each takes so many milliseconds. Absent: it makes several at a time. */
  readonly signatureMs?: number
  /** What else delays the key service. Absent: nothing. */
  readonly custody: { readonly kind: CustodyKind } | undefined
  /** No-ops are signed in advance, and the key service has long outages. Absent: neither. */
  readonly presign: Presigning | undefined
}

export interface Presigning {
  /** The policy `presign_cancel`: the number of no-ops that are signed in advance for each nonce. */
  readonly levels: number
  /** Probability, for each step, that a long outage of the key service begins. */
  readonly outages: number
}

/** Where the service runs. */
export interface ProcessOptions {
  /** Several processes share the database and the relayers. Absent: one process has both to itself. */
  readonly replicas: Replicas | undefined
  /** The part that stays broken once the faults stop. Absent: none. */
  readonly brokenEnd: BrokenPart | undefined
}

export interface Replicas {
  /** The number of processes in the beginning. */
  readonly atFirst: number
  /** The number of processes is at most this. */
  readonly most: number
  /** Probability, for each step, that it is one of the replicas' actions. */
  readonly share: number
  /** Weight of each of these actions. */
  readonly weights: Readonly<Record<ReplicaAction, number>>
  /** Probability that a database transaction is still on its way when its process is dead or paused. */
  readonly slowUnits: number
}

/** `liar`: a node lies on. `replica`: a replica never comes back. `signer`: the keys stay out of reach. */
export type BrokenPart = 'liar' | 'replica' | 'signer'

/** What happens to the database. */
export interface StorageOptions {
  /** The database is copied, and the copy replaces it later. */
  readonly restores: readonly Restore[]
}

/** One copy of the database. */
export interface Restore {
  /** The copy is made after this part of all steps, from 0 to 1. */
  readonly copied: number
  /** The copy replaces the database after this part of all steps, from 0 to 1. */
  readonly putBack: number
  /** The service is down for hundreds of blocks in between. */
  readonly isLong: boolean
  /** After the copy was made, clients cancel transactions that are open in it. */
  readonly takesBack: boolean
}

/** What the steps do. */
export interface StepOptions {
  /** Weight of each action (actions.ts). */
  readonly weights: Readonly<Record<Action, number>>
}
