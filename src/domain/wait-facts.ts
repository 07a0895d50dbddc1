// The facts of each condition: why a transaction waits, in figures. wait-sentence.ts makes the sentence of them.
import type { Condition } from './condition.ts'
import type { Finality } from './finality.ts'
import type { HoldRule } from './hold.ts'
import type { Hash, NetworkName, RelayerId, TransactionId } from './ids.ts'
import type { SecondWitness } from './second-witness.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs, Wei } from './units.ts'

type None = Readonly<Record<never, never>>

/** The words of a node or of a key service. They are shown, and nothing reads them. */
type Words = string

/** The lowest fees that would do. */
export interface Needed {
  readonly perGas: Wei
  readonly tip: Wei
}

/** Gas limits by the estimates of two providers that differ. */
export interface GasBetween {
  readonly lower: Gas
  readonly higher: Gas
}

/** The money that a send needs. */
interface Missing {
  readonly value: Wei
  readonly paysL1: boolean
  /** Counted with the higher. */
  readonly gasBetween?: GasBetween
}

/** A node's refusal that no price ends. */
export interface Refusal {
  /** `error`: in no client's table. `forNow`: it may be over the next time. */
  readonly kind: 'error' | 'invalid' | 'forNow'
  readonly words: Words
}

/** An attempt that a cap keeps from a higher price. */
interface AtCap {
  readonly of: 'attempt'
  readonly cap: Wei | undefined
  /** The price without the cap, rounded. */
  readonly offer?: { readonly perGas: Wei; readonly hasRoom: boolean }
  readonly nonce: Nonce
  readonly since: BlockNumber
}

/** A replacement that its own fees or a cap keep from the nonce. */
interface Outbid {
  readonly of: 'replacement'
  readonly over: Hash
  readonly needed?: Needed
}

/** The gas of all in flight has to fit in it. Absent: the network has no such rule. */
interface WithinReserve {
  readonly reserve?: Wei
}

/** `of` names the contender, or the transaction behind it, where a condition has more than one sentence. */
export interface FactsOf {
  /** `until` is absent if only a release ends it. */
  readonly on_hold: { readonly rule: HoldRule; readonly until?: TimestampMs }
  readonly paused: { readonly by: 'relayer' | 'network' | 'both'; readonly network: NetworkName }
  readonly policy: { readonly forbidden: string }
  readonly balance_below_minimum: { readonly balance: Wei; readonly minBalance: Wei }
  readonly balance_short:
    | ({ readonly of: 'send'; readonly balance: Wei } & Missing)
    /** A payment to the account would cover it, once it is old enough. */
    | ({ readonly of: 'late'; readonly balance: Wei; readonly lagBlocks: number } & Missing)
    /** The transaction's value touches the reserve of the network. `short`: the top-up that avoids that. */
    | {
        readonly of: 'emptying' | 'delegated'
        readonly value: Wei
        readonly reserve: Wei
        readonly short: Wei
        readonly lagBlocks: number
      }
    /** The transaction's gas does not fit in this reserve beside others. */
    | { readonly of: 'gas'; readonly reserve: Wei; readonly lagBlocks: number }
    /** Later transactions may pass this one, by `skip_unfunded`. */
    | ({ readonly of: 'passed' } & Missing)
    | ({ readonly of: 'higherPrice'; readonly cost: Wei } & WithinReserve)
    | { readonly of: 'attempt'; readonly cost: Wei }
  readonly already_ordered:
    | { readonly of: 'cancellation'; readonly by: 'receipt' | 'spentNonce' }
    | { readonly of: 'replacement' }
  readonly outcome_unknown: None
  readonly cancel_unfunded: { readonly cost: Wei } & WithinReserve
  readonly gas_price_cap:
    | { readonly of: 'send'; readonly cap: Wei | undefined; readonly price: Wei; readonly isNamed: boolean }
    | AtCap
    | Outbid
  readonly cancel_gas_price_cap: AtCap | { readonly of: 'noOp'; readonly cap: Wei | undefined; readonly perGas: Wei }
  /** `costMax`: the bound. `cost`: of the no-op that is needed, rounded. */
  readonly cost_bound: { readonly costMax: Wei; readonly cost: Wei }
  readonly own_price: { readonly of: 'attempt'; readonly perGas: Wei; readonly tip?: Wei } | Outbid
  /** The price is rounded. `cap` is the policy that replaces the ceiling. */
  readonly price_ceiling: { readonly perGas: Wei; readonly cap: 'gas_price_cap' | 'cancel_gas_price_cap' }
  readonly attempts_exhausted: {
    readonly of: 'attempt' | 'noOp'
    /** The event that allows another attempt. */
    readonly until: 'market' | 'double'
    readonly nonce: Nonce
    readonly attempts: number
  }
  readonly nonce_blocked: /** Both the block and the time have to come. */
    | {
        readonly by: 'transaction'
        readonly nonce: Nonce
        readonly until: BlockNumber
        readonly untilAt: TimestampMs
      }
    | { readonly by: 'count'; readonly nonce: Nonce; readonly pendingNonce: Nonce }
  /** Both the block and the time have to come. */
  readonly pool_unseen: { readonly nonce: Nonce; readonly from: BlockNumber; readonly untilAt: TimestampMs }
  readonly gap_unconfirmed:
    | { readonly of: 'gap'; readonly nonce: Nonce }
    | {
        readonly of: 'reach'
        readonly nonce: Nonce
        /** The highest nonce on record lies just below. */
        readonly recordedBelow: Nonce
        readonly relayerId: RelayerId
      }
    | { readonly of: 'limit'; readonly nonce: Nonce; readonly limit: Nonce }
    /** `nonce` would come next by the count. */
    | { readonly of: 'count'; readonly nonce: Nonce; readonly explainedBelow: Nonce }
  readonly gap_fillers_limited: { readonly nonce: Nonce; readonly filled: number; readonly relayerId: RelayerId }
  readonly nonce_unproven: { readonly nonce: Nonce }
  readonly history_unknown: { readonly from: Nonce; readonly to: Nonce }
  readonly cancellation_unclear: { readonly noOp: Hash; readonly nonce: Nonce }
  readonly no_progress: { readonly nonce: Nonce; readonly attempt: Hash }
  readonly node_behind: { readonly nonce: Nonce; readonly settledBelow: Nonce }
  readonly node_refuses:
    | { readonly of: 'payload' | 'noOp'; readonly refusal: Refusal }
    | { readonly of: 'gapFiller' | 'behindGapFiller'; readonly nonce: Nonce; readonly words: Words }
  /** `words`: of the last refusal on record. `returns`: its payload is tried again. */
  readonly refused_by_all: { readonly nonce: Nonce; readonly returns: boolean; readonly words?: Words }
  readonly node_unreachable: { readonly of: 'payload' | 'noOp' | 'network'; readonly words: Words }
  /** `block`: the newest. */
  readonly head_stalled: { readonly block: BlockNumber }
  readonly signer_unavailable: {
    readonly signerId: string
    readonly code: string
    readonly isPermanent: boolean
    /** The key service's id of the work that signs it. */
    readonly activity?: string
  }
  readonly facts_missing: { readonly fact: 'price' | 'balance' | 'laggedBalance' | 'l1Fee' }
  /** `words`: in which the estimate fails. */
  readonly gas_unknown:
    | { readonly of: 'send' | 'replacement'; readonly words?: Words }
    | ({ readonly of: 'differ' } & GasBetween)
    | { readonly of: 'noOp' }
    | { readonly of: 'gapFiller'; readonly nonce: Nonce }
  readonly would_revert: { readonly of: 'send' | 'replacement'; readonly words: Words }
  readonly account_in_use: None
  readonly finality_stalled: { readonly block: BlockNumber; readonly minutes: number; readonly tag: Finality }
  /** Endpoints by their index in the configuration. */
  readonly witnesses_contradict: {
    readonly spender: Hash
    readonly block: BlockNumber
    readonly shownBy: readonly number[]
    readonly deniedBy: readonly number[]
  }
  readonly witness_silent: { readonly spender: Hash; readonly block: BlockNumber; readonly mode: SecondWitness }
}

/** The conditions of waits: all but those of a relayer as a whole. */
export type ReasonCondition = Extract<Condition, keyof FactsOf>

/** A condition with its facts. */
export type Reason = {
  readonly [C in ReasonCondition]: { readonly condition: C; readonly facts: FactsOf[C] }
}[ReasonCondition]

/** Why a transaction waits, as of the last observation. Its sentence is made where it is shown. */
export type Wait = Reason & {
  /** When the condition began to hold. */
  readonly since: TimestampMs
  /** The head of the queue, or of those in flight, which waits for this reason. Shown, and not stored. */
  readonly behind?: TransactionId
}
