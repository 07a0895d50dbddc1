// The dependencies of a step: store, time, randomness, and each relayer's chain, signer and policy.
import type { Chain } from '../chain/chain.ts'
import type { NetworkPolicy, Relayer } from '../domain/relayer.ts'
import type { RelayerObserver } from '../domain/relayer-observer.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Random } from '../ops/random.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Store } from '../store/store.ts'

export interface StepContext {
  readonly store: Store
  /** Seals pre-signed no-ops. */
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RelayerObserver
  readonly chainOf: (relayer: Relayer) => Chain
  readonly signerOf: (relayer: Relayer) => Signer
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
  readonly limits: {
    /** Limit of rows that are confirmed and not final: a step reads them, and writes them in one commit. */
    readonly confirmedRowsMax: number
  }
}
