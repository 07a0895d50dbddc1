// One signer on one network: a nonce sequence, and so the unit of mutual exclusion.
import type { Address, NetworkName, RelayerId } from './ids.ts'
import type { Policies } from './policy-table.ts'
import type { Nonce, Wei } from './units.ts'

export interface Relayer {
  readonly id: RelayerId
  readonly name: string
  readonly network: NetworkName
  readonly chainId: number
  readonly address: Address
  readonly signerId: string
  readonly notificationId?: string
  readonly paused: boolean
  readonly policies: Policies
}

/** What the relayer's row knows of its nonces. */
export interface NonceFloor {
  /** Every nonce below is spent for good. */
  readonly spentBelow: Nonce
  /** Every nonce below is spent for good, and it is known by what: where an owner begins to check of a lost history. */
  readonly explainedBelow: Nonce
}

/** The rules of a network that decisions follow. Prices wait for blocks; only repeated broadcasts wait for time. */
export interface NetworkPolicy {
  readonly chainId: number
  readonly eip1559: boolean
  readonly requiredConfirmations: number
  /** Blocks that a send waits before it is priced anew. */
  readonly bumpAfterBlocks: number
  /** Blocks that a no-op waits before it is priced anew. */
  readonly cancelBumpAfterBlocks: number
  /** And so long at least, whichever is later: where blocks are fast, a few of them prove little. */
  readonly bumpAfterMs: number
  readonly cancelBumpAfterMs: number
  /** To which a tip is raised where blocks have room and do not take it. Absent: no tip is known to be needed. */
  readonly raisedTip?: Wei
  /** Blocks, by their time, after which an accepted attempt is broadcast again, in case the pools lost it. */
  readonly rebroadcastAfterBlocks: number
  /** As configured: it counts where the chain has not shown another. */
  readonly averageBlocktimeMs: number
}
