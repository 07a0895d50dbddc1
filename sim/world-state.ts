// What changes in a run beside the chain, the nodes and the database.
import type { Hash } from '../src/domain/ids.ts'
import type { Block } from './chain/blocks.ts'
import type { EstimateOutage } from './chain/failing-estimates.ts'
import type { Tags } from './chain/node.ts'
import { epochMs } from './process/engine.ts'
import type { SignerBehavior } from './process/signers.ts'
import type { Policies } from './scenario/policies.ts'
import type { Scenario } from './scenario/scenario.ts'

export interface WorldState {
  /** The service's clock is wrong by this many milliseconds. */
  skewMs: number
  /** Calls of the flaky contract revert now. */
  revertsNow: boolean
  /** No node estimates a call. */
  estimateOutage: EstimateOutage | undefined
  /** The number of such outages so far. */
  estimateOutages: number
  /** The base fee rises for this many more blocks, or falls where this is negative. */
  spike: number
  /** Transactions or blocks that are not made for a while. */
  drought: Drought | undefined
  /** Faults happen. False once they have stopped. */
  faulty: boolean
  /** When they stopped. Infinite: not yet. */
  calmFromMs: number
  /** How the key service answers. */
  signerBehavior: SignerBehavior
  /** The number of steps until a long outage of the key service ends. */
  outageLeft: number
  /** The policy `presign_cancel`, from the next start on, or from a change through the API. */
  presign: number
  /** Nodes call this many of sixteen gap fillers invalid. */
  tightGapFillers: number
  /** The blocks that the tags name on the canonical chain. */
  tags: Tags
  /** The tags do not move. */
  tagsStop: boolean
  /** The height of the highest block that nodes showed before its slot stayed empty. */
  shownHeight: number
  /** The sequencer orders transactions by their tips. */
  isByTips: boolean
  /** The first block with the new rules of gas. Infinite: none is announced. Undefined: this run has no fork. */
  gasForkAt: number | undefined
  /** The block time of the moment, in milliseconds. */
  blocktimeMs: number
  /** When the block time changed first. Infinite: not yet. */
  paceChangedMs: number
  /** When a block may hold a foreign transaction, where it waits. */
  readonly foreignFromMs: Map<Hash, number>
  /** The number of deposits of the relayers' accounts so far. */
  deposits: number
  /** Safe blocks that a reorganization took back. */
  readonly unsafe: Set<Hash>
  /** The latest time of a block, on any branch, in milliseconds. */
  newestBlockMs: number
  /** Balances that the next block sets, by address, in wei. */
  readonly balances: Map<string, bigint>
  /** The configured policies, from the next start on. */
  policies: Policies
  /** The number of database transactions so far. It orders all of them. */
  position: number
  /** The position at which a copy of the database was restored. Infinite: never. */
  restoredAt: number
  /** The number of restores so far. */
  restores: number
}

/** `ours`: no transaction of the relayers is mined. `all`: no transaction is mined. `blocks`: no block is made. */
export type Drought =
  | { readonly kind: 'ours' | 'all'; readonly blocksLeft: number }
  | { readonly kind: 'blocks'; readonly untilMs: number }

export function openState(scenario: Scenario, genesis: Block): WorldState {
  return {
    skewMs: 0,
    revertsNow: false,
    estimateOutage: undefined,
    estimateOutages: 0,
    spike: 0,
    drought: undefined,
    faulty: true,
    calmFromMs: Number.POSITIVE_INFINITY,
    signerBehavior: 'fine',
    outageLeft: 0,
    presign: scenario.presign?.levels ?? 0,
    tightGapFillers: scenario.gaps.tightGapFillers,
    tags: { safe: genesis, finalized: genesis },
    tagsStop: false,
    isByTips: false,
    shownHeight: 0,
    gasForkAt: scenario.gasFork ? Number.POSITIVE_INFINITY : undefined,
    blocktimeMs: scenario.blocktimeMs,
    paceChangedMs: Number.POSITIVE_INFINITY,
    foreignFromMs: new Map(),
    deposits: 0,
    unsafe: new Set(),
    newestBlockMs: epochMs,
    balances: new Map(),
    policies: scenario.policies,
    position: 0,
    restoredAt: Number.POSITIVE_INFINITY,
    restores: 0,
  }
}
