// The policies of a relayer, one row each: the published name, the kind, and the meaning of an absent value. The
// configuration file, the requests, the rows and the answers all read and write policies by this table: a new policy
// needs only a new row.
import { keysOf } from './defined.ts'
import type { Address, Hex } from './ids.ts'
import type { Wei } from './units.ts'

export interface AllowedCalls {
  readonly receiver: Address
  /** The first 4 bytes of the data; `0x` stands for no data at all, a plain transfer. */
  readonly selectors: readonly Hex[]
}

/** The type of each kind's value. */
interface PolicyKinds {
  readonly wei: Wei
  readonly count: number
  /** A time in milliseconds, from 1 s to 24 h; written as "30s", "10m" or "24h". With `inDays` up to 30 days, as "3d". */
  readonly duration: number
  readonly flag: boolean
  readonly addresses: readonly Address[]
  readonly calls: readonly AllowedCalls[]
}

type PolicyOf<Kind extends keyof PolicyKinds> = {
  readonly kind: Kind
  /** The policy's name in the configuration file and in the API. */
  readonly name: string
  /** The end of the value's description in the API reference. */
  readonly meaning: string
  /** Replaces an absent value. */
  readonly default?: PolicyKinds[Kind]
  /** The meaning of absence: this value is not stored, but it is shown. */
  readonly implied?: PolicyKinds[Kind]
} & Rules[Kind]

/** The checks of a value beyond its kind. */
interface Rules {
  /** `zeroMeans`: the effect of 0, which is then refused. */
  readonly wei: { readonly zeroMeans?: string }
  readonly count: { readonly min: number; readonly max: number }
  readonly duration: { readonly inDays?: true }
  readonly flag: unknown
  /** `emptyMeans`: the effect of an empty list, which is never that of an absent one. */
  readonly addresses: { readonly emptyMeans: string }
  /** `emptyMeans`: the effect that an empty object would have, which is then refused. */
  readonly calls: { readonly emptyMeans: string }
  readonly errors: unknown
}

export type Policy = { [Kind in keyof PolicyKinds]: PolicyOf<Kind> }[keyof PolicyKinds]

export const policyTable = {
  /** Below this balance no transaction gets a nonce. */
  minBalance: {
    kind: 'wei',
    name: 'min_balance',
    meaning: 'below it nothing new gets a nonce',
    default: 0n,
  },
  /** The most that a send may pay per gas; cancellations have their own. Absent: price-ceiling.ts has the limits. */
  gasPriceCap: {
    kind: 'wei',
    name: 'gas_price_cap',
    meaning: 'the most that a send may pay for a unit of gas',
    zeroMeans: 'nothing could be sent',
  },
  /** The most that a no-op may pay per gas. Absent: no limit. */
  cancelGasPriceCap: {
    kind: 'wei',
    name: 'cancel_gas_price_cap',
    meaning: 'the most that the no-op of a cancellation may pay for a unit of gas',
    zeroMeans: 'nothing could be sent',
  },
  /**
   * Balance kept back from sends, so that a cancellation can always be paid. Absent: two no-ops at the market's price.
   */
  cancelReserve: {
    kind: 'wei',
    name: 'cancel_reserve',
    meaning: 'balance kept back from sends, so that a cancellation can be paid',
  },
  /** A balance that lasts for a shorter time is a warning. It holds nothing up. */
  runwayWarning: {
    kind: 'duration',
    name: 'runway_warning',
    meaning: 'a balance that pays for sends for a shorter time, at the spending of the last days, is a warning',
    inDays: true,
    implied: 86_400_000,
  },
  /** A balance below is a warning. It holds nothing up. */
  lowBalance: {
    kind: 'wei',
    name: 'low_balance',
    meaning: 'a balance below it is a warning, and holds nothing up',
    zeroMeans: 'nothing would ever warn',
  },
  /** Pre-signed no-ops for each nonce, so that cancellations go on while the key service is down. */
  presignCancel: {
    kind: 'count',
    name: 'presign_cancel',
    meaning:
      'no-ops that are signed for each nonce before a cancellation, at as many price levels, for the time when the key service is down',
    min: 0,
    max: 2,
    implied: 0,
  },
  /** Transactions with a nonce and no receipt at any time. Absent: a window of 16 to 512 that follows the chain. */
  maxInFlight: {
    kind: 'count',
    name: 'max_in_flight',
    meaning: 'transactions with a nonce that are not mined; without it from 16 to 512, as many as blocks take at once',
    min: 1,
    max: 1024,
  },
  /** False forces legacy transactions on a network with EIP-1559. */
  eip1559Pricing: {
    kind: 'flag',
    name: 'eip1559_pricing',
    meaning: 'false prices sends by speed as legacy transactions; fees that a client names keep their type',
    default: true,
  },
  /** False: a send has to name its gas_limit. */
  gasLimitEstimation: {
    kind: 'flag',
    name: 'gas_limit_estimation',
    meaning: 'false requires a gas_limit in each send',
    implied: true,
  },
  /** True gives up the order of the queue for a transaction that cannot be paid. */
  skipUnfunded: {
    kind: 'flag',
    name: 'skip_unfunded',
    meaning: 'true lets later transactions pass one that the balance does not cover',
    implied: false,
  },
  /** The receivers of sends. Absent: any. Empty: none. The relayer's own address may always receive empty data. */
  whitelistReceivers: {
    kind: 'addresses',
    name: 'whitelist_receivers',
    meaning: 'sends may go to; an empty list allows nobody',
    emptyMeans: 'sends may go to nobody',
  },
  /** The functions that sends may call at the receivers named here. At any other, every function is allowed. */
  whitelistSelectors: {
    kind: 'calls',
    name: 'whitelist_selectors',
    meaning: 'the functions that sends may call there',
    emptyMeans: 'it would limit nothing',
  },
  /** The most value of a send. Absent: as much as the balance covers. */
  valueCap: { kind: 'wei', name: 'value_cap', meaning: 'the most that a send may carry' },
  /** Each send is on hold at least so long; with `hold_above_value`, those above it. Absent: none has to be. */
  minHold: {
    kind: 'duration',
    name: 'min_hold',
    meaning: 'each send is on hold at least so long; with hold_above_value, each above that value',
  },
  /** Sends of more value are on hold: for `min_hold`, or without it until a release. */
  holdAboveValue: {
    kind: 'wei',
    name: 'hold_above_value',
    meaning:
      'sends of more value are on hold: for min_hold, or without it until a release; a token transfer has the value 0',
  },
  /** Every send is on hold until a second key releases its payload; with `hold_above_value`, all but small ones (hold.ts). */
  fourEyes: {
    kind: 'flag',
    name: 'four_eyes',
    meaning:
      'true holds each send until a second key releases its payload; with hold_above_value, each above that value, and each with data, an access list, more than 100,000 gas, or a price of its own without gas_price_cap; no relayer of the account signs messages then',
    implied: false,
  },
} as const satisfies Readonly<Record<string, Policy>>

/** Accepted from files of other relayers, but never enforced or stored. */
export const unenforcedPolicies = [
  { kind: 'flag', name: 'private_transactions', meaning: 'true is refused' },
  {
    kind: 'flag',
    name: 'include_revert_data',
    meaning: 'without effect: `status_reason` names the error of every revert',
  },
] as const satisfies readonly Policy[]

type Table = typeof policyTable
type ValueOf<Row> = Row extends { readonly kind: infer Kind extends keyof PolicyKinds } ? PolicyKinds[Kind] : never

/** Amounts in wei. A policy with a default is always present. */
export type Policies = {
  readonly [Key in keyof Table as Table[Key] extends { default: unknown } ? Key : never]: ValueOf<Table[Key]>
} & {
  readonly [Key in keyof Table as Table[Key] extends { default: unknown } ? never : Key]?: ValueOf<Table[Key]>
}

export type PolicyKey = keyof Policies
export type PolicyValue = PolicyKinds[keyof PolicyKinds]

/** The keys in the order of the table. */
export const policyKeys = keysOf<PolicyKey>(policyTable)

const entries: readonly (readonly [PolicyKey, Policy])[] = policyKeys.map((key) => [key, policyTable[key]])

/** A policy in force, and its value. */
export type SetPolicy = {
  [Kind in keyof PolicyKinds]: { readonly name: string; readonly kind: Kind; readonly value: PolicyKinds[Kind] }
}[keyof PolicyKinds]

/** `read` returns the value of each policy, of its kind; undefined if there is none. */
export function policiesBy(read: (policy: Policy, key: PolicyKey) => PolicyValue | undefined): Policies {
  const values = entries.flatMap(([key, policy]) => {
    const value = read(policy, key) ?? policy.default
    return value === undefined || value === policy.implied ? [] : [[key, value]]
  })
  // The keys and kinds are the table's, and the type derives from it.
  return Object.fromEntries(values) as Policies
}

/** The policies in force, in the order of the table, including implied values. */
export function setPolicies(policies: Policies): readonly SetPolicy[] {
  return entries.flatMap(([key, { name, kind, default: standIn, implied }]) => {
    const value = policies[key] ?? standIn ?? implied
    // The table gives each key the kind of its value: the compiler can't follow that through a loop.
    return value === undefined ? [] : [{ name, kind, value } as SetPolicy]
  })
}
