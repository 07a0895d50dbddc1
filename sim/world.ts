// Everything that one run consists of.
import type { Hash } from '../src/domain/ids.ts'
import type { Blocks } from './chain/blocks.ts'
import type { NodeWorld, SimNode } from './chain/node.ts'
import type { Bids } from './check/bids.ts'
import type { BulkTermsChecks } from './check/bulk-terms.ts'
import type { Bytes } from './check/bytes.ts'
import type { CostBounds } from './check/cost-bounds.ts'
import type { ForeignUses } from './check/foreign-uses.ts'
import type { FourEyesChecks } from './check/four-eyes.ts'
import type { Funds } from './check/funds.ts'
import type { GapFillers } from './check/gap-fillers.ts'
import type { Holds } from './check/holds.ts'
import type { SentLabels } from './check/labels.ts'
import type { PatienceChecks } from './check/patience.ts'
import type { PresignedChecks } from './check/presigned.ts'
import type { Rows } from './check/rows.ts'
import type { Tips } from './check/tips.ts'
import type { Truth } from './check/truth.ts'
import type { Verdicts } from './check/verdicts.ts'
import type { Clients, KnownPreview, Shown } from './clients.ts'
import type { History } from './history.ts'
import type { Marks } from './marks/watch-marks.ts'
import type { Network } from './network.ts'
import type { Machine } from './process/engine.ts'
import type { Scenario } from './scenario/scenario.ts'
import type { Streams } from './streams.ts'
import type { Timeline } from './timeline.ts'
import type { WorldState } from './world-state.ts'

export interface World extends Streams, Checks, Restored {
  /** The options of the run. */
  readonly scenario: Scenario
  /** The run's clock and its events. */
  readonly timeline: Timeline
  /** The lines that a failing run prints, and the first failure. */
  readonly history: History
  /** Which of the states that matter the run has reached (marks/marks.ts). */
  readonly marks: Marks
  readonly blocks: Blocks
  readonly nodes: readonly SimNode[]
  /** The requests between the service and the nodes. */
  readonly network: Network
  /** What all nodes share. */
  readonly node: NodeWorld
  /** What a process of the service needs to start. */
  readonly machine: Machine
  /** The addresses of the relayers, in lower case. */
  readonly addresses: readonly string[]
  readonly clients: Clients
  /** The previews that clients hold. */
  readonly knownPreviews: KnownPreview[]
  /** The payloads that keys were shown, by the id of the transaction. */
  readonly shownPayloads: Map<string, Shown[]>
  readonly state: WorldState
  /** Reads the commits since the last call, and checks them. */
  look(): void
}

/** The checks of check/ that steps and the end of a run speak to. */
interface Checks {
  readonly bids: Bids
  readonly bytes: Bytes
  readonly rows: Rows
  readonly gapFillers: GapFillers
  readonly holds: Holds
  readonly fourEyes: FourEyesChecks
  readonly truth: Truth
  readonly verdicts: Verdicts
  readonly labels: SentLabels
  readonly tips: Tips
  readonly funds: Funds
  /** Undefined where no no-op is signed in advance. */
  readonly presigned: PresignedChecks | undefined
  /** Undefined where no cancellation has a limit of cost. */
  readonly costBounds: CostBounds | undefined
  /** Undefined where nothing looks for them, or nothing can be said of them. */
  readonly foreignUses: ForeignUses | undefined
  /** Undefined where blocks are not short. */
  readonly patience: PatienceChecks | undefined
  /** Undefined where no bulk cancellation has a limit of cost, or pauses. */
  readonly bulkTerms: BulkTermsChecks | undefined
}

/** What a restored copy of the database has forgotten. */
interface Restored {
  /** Bytes that were broadcast, and that the copy does not hold. */
  readonly lost: Set<Hash>
  /** Numbers of payloads that were canceled for good before the restore, and that no client has sent again. */
  readonly wonBefore: Set<number>
  /** Ids of transactions that may have ended without a DELETE before the restore: a no-op on the chain does not show the difference. */
  readonly givenUp: Set<string>
  /** Ids of transactions that had ended without a trace on the chain and are open in the copy, or that a copy without a PUT sent again. Their end is no promise. */
  readonly revived: Set<string>
}
