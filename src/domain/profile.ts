// A network's profile: how its pool, its gas and its finality differ from Ethereum's. Decisions follow it. A field
// that the file or the API sets counts before the table of chains.
import type { ReplacementRule } from './fees.ts'
import type { Finality } from './finality.ts'
import type { GasFigures } from './gas-figures.ts'
import type { Address } from './ids.ts'
import type { Gas, Wei } from './units.ts'

/**
 * - `public`: a pool that everybody sees, where a higher price replaces a lower one.
 * - `private`: the pool of a sequencer. A higher price replaces as well, for as long as the transaction waits there.
 * - `fcfs`: first come, first served. The sequencer orders a transaction as soon as it accepts it: no price replaces it.
 */
export type PoolKind = 'public' | 'private' | 'fcfs'

/** Whether a sequencer orders transactions as they come. */
export function isFcfs({ profile }: { readonly profile: Pick<NetworkProfile, 'pool'> }): boolean {
  return profile.pool === 'fcfs'
}

/**
 * - `none`: gas covers everything.
 * - `op_stack`: a fee beside gas. A contract reports it, with the functions of the OP stack's oracle.
 * - `in_gas`: part of the gas that a transaction uses, so no transaction is sure to cost 21,000.
 */
type L1Fee = 'none' | 'op_stack' | 'in_gas'

export interface NetworkProfile {
  readonly pool: PoolKind
  /** How pools compare a replacement. Absent: by the name of the client behind each endpoint. */
  readonly replacement?: ReplacementRule
  /** `constant`: 21,000. `estimated`: by a node, as the chain has prices of its own for gas. */
  readonly noOpGas: 'constant' | 'estimated'
  /** Whether Ethereum's least gas holds, by the figures of `gasRules`. */
  readonly floorGas: boolean
  /** The prices of gas that forks change. Those that are absent are read from the chain. */
  readonly gasRules?: GasFigures
  readonly l1Fee: L1Fee
  /** The contract that reports the fee beside gas. Absent: that of the OP stack. */
  readonly l1FeeOracle?: Address
  /** Per gas: a tip is raised to it where blocks have room and do not take the transaction. */
  readonly tipFloor?: Wei
  readonly priceSource: 'fee_history' | 'linea_estimate_gas'
  /** `gas_limit`: the sender pays for the whole limit, used or not. */
  readonly charges: 'gas_used' | 'gas_limit'
  /** The largest signed transaction that pools accept (geth's `txMaxSize`). A larger payload is refused before it is stored. */
  readonly maxTransactionBytes: number
  /** The most gas that a transaction may name (EIP-7825). Absent: as much as a block. Headers show when Amsterdam has lifted it. */
  readonly maxTransactionGas?: Gas
  /**
   * The gas of all transactions in flight of an account has to fit in it, and a value that leaves an account less needs a time without
   * other transactions. Absent: neither.
   */
  readonly reserveBalance?: Wei
  /**
   * How many blocks ago the account had the balance that has to pay for gas: blocks are executed later. Absent or 0: as of the
   * head.
   */
  readonly balanceLagBlocks?: number
  /** How long a node keeps a transaction whose nonce is too high. Absent or 0: it queues it. */
  readonly keepsFutureNonceMs?: number
  /** Blocks, or the block tag of nodes. Absent: `required_confirmations`. */
  readonly finality?: Finality
  /** Time since its confirmation after which a stalled finality is reported. Absent: as usual on the OP stack. */
  readonly finalityStalledAfterMs?: number
  /**
   * `block_hash`: a second endpoint has to show the same block. `transaction`: another block hash at this height counts as well, if
   * the block lists the transaction, with the same result: for networks whose clients hash blocks differently.
   */
  readonly witness: 'block_hash' | 'transaction'
  /** Sends by eth_sendRawTransactionSync (EIP-7966). */
  readonly sendSync: boolean
  /** Sends a transaction with `valid_until` by eth_sendRawTransactionConditional: the sequencer enforces the end. */
  readonly sendConditional: boolean
}

type ProfileKey = keyof NetworkProfile
export type ProfileOverrides = { readonly [Key in ProfileKey]?: NetworkProfile[Key] }

/** The profile of Ethereum, and of every chain that is not in the table. */
export const ethereumProfile: NetworkProfile = {
  pool: 'public',
  noOpGas: 'constant',
  floorGas: true,
  l1Fee: 'none',
  priceSource: 'fee_history',
  charges: 'gas_used',
  maxTransactionBytes: 128 * 1024,
  witness: 'block_hash',
  sendSync: false,
  sendConditional: false,
}

export type ProfileField = { readonly name: string; readonly meaning: string } & (
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'wei' }
  | { readonly kind: 'address' }
  | { readonly kind: 'milliseconds'; readonly max: number }
  | { readonly kind: 'bytes' | 'gas' | 'blocks'; readonly min: number; readonly max: number }
  | { readonly kind: 'rule' }
  | { readonly kind: 'gasRules' }
  | { readonly kind: 'finality' }
)

/** The fields on the wire. The file, the API and its reference read them from here. */
export const profileTable = {
  pool: {
    ...{ name: 'pool', kind: 'choice', choices: ['public', 'private', 'fcfs'] },
    meaning: 'where transactions wait, and whether a price replaces one',
  },
  replacement: { name: 'replacement', kind: 'rule', meaning: 'the rise that pools demand of a replacement' },
  noOpGas: {
    ...{ name: 'no_op_gas', kind: 'choice', choices: ['constant', 'estimated'] },
    meaning: 'the gas of a no-op: 21000, or as a node estimates it',
  },
  floorGas: { name: 'floor_gas', kind: 'flag', meaning: "whether Ethereum's least gas holds" },
  gasRules: {
    ...{ name: 'gas_rules', kind: 'gasRules' },
    meaning: 'the prices of gas that forks change; those that are absent are read from the chain',
  },
  l1Fee: {
    ...{ name: 'l1_fee', kind: 'choice', choices: ['none', 'op_stack', 'in_gas'] },
    meaning: 'how data on L1 is paid',
  },
  l1FeeOracle: {
    ...{ name: 'l1_fee_oracle', kind: 'address' },
    meaning: 'the contract that reports the fee for data on L1 with the functions of the OP stack',
  },
  tipFloor: { name: 'tip_floor', kind: 'wei', meaning: 'the tip that a transaction is raised to that is not mined' },
  priceSource: {
    ...{ name: 'price_source', kind: 'choice', choices: ['fee_history', 'linea_estimate_gas'] },
    meaning: 'the call that prices follow',
  },
  charges: {
    ...{ name: 'charges', kind: 'choice', choices: ['gas_used', 'gas_limit'] },
    meaning: 'the gas that a sender pays for',
  },
  maxTransactionBytes: {
    ...{ name: 'max_transaction_bytes', kind: 'bytes', min: 1_024, max: 1_048_576 },
    meaning: 'the largest signed transaction that pools accept',
  },
  maxTransactionGas: {
    ...{ name: 'max_transaction_gas', kind: 'gas', min: 21_000, max: Number.MAX_SAFE_INTEGER },
    meaning: 'the most gas that a transaction may name, until the fork Amsterdam',
  },
  reserveBalance: {
    ...{ name: 'reserve_balance', kind: 'wei' },
    meaning:
      'what bounds the gas of all transactions in flight, and what a value leaves to an account that has sent something just before',
  },
  balanceLagBlocks: {
    ...{ name: 'balance_lag_blocks', kind: 'blocks', min: 0, max: 64 },
    meaning: 'after how many blocks a payment to the account counts',
  },
  keepsFutureNonceMs: {
    ...{ name: 'keeps_future_nonce_ms', kind: 'milliseconds', max: 3_600_000 },
    meaning: 'how long a node keeps a nonce that is too high; 0 if it queues it',
  },
  finality: { name: 'finality', kind: 'finality', meaning: 'what makes a result final' },
  finalityStalledAfterMs: {
    ...{ name: 'finality_stalled_after_ms', kind: 'milliseconds', max: 7 * 86_400_000 },
    meaning: 'how long finality may take after a confirmation before it is reported as late',
  },
  witness: {
    ...{ name: 'witness', kind: 'choice', choices: ['block_hash', 'transaction'] },
    meaning:
      'whether endpoints confirm each other by the hash of the block, or by the transaction, its height and its result',
  },
  sendSync: { name: 'send_sync', kind: 'flag', meaning: 'send by eth_sendRawTransactionSync' },
  sendConditional: {
    ...{ name: 'send_conditional', kind: 'flag' },
    meaning: 'send a transaction with valid_until by eth_sendRawTransactionConditional',
  },
} as const satisfies Readonly<Record<ProfileKey, ProfileField>>

/** Bounds of the numbers in a profile. */
export const profileLimits = { finalityMax: 10_000, percentMax: 1_000, newAccountMax: 10_000_000 } as const

/** The fields of `overrides` over those of `base`. */
export function withOverrides(base: NetworkProfile, overrides: ProfileOverrides): NetworkProfile {
  return { ...base, ...overrides }
}
