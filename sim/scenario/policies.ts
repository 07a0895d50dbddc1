// Draws the policies of relayers, and how their operator changes them.
import type { Policies as Members } from '../../src/domain/policy-table.ts'
import type { Dice } from '../../tooling/dice.ts'
import { flakyContract } from '../chain/mine.ts'
import { payloadSelector, receiver } from '../chain/transaction.ts'

export interface Policies {
  /** The policy `max_in_flight`. Undefined: the default window of the engine. */
  readonly maxInFlight: number | undefined
  readonly gasPriceCap: bigint | undefined
  /** For each relayer: whether it is paused. */
  readonly paused: readonly boolean[]
  /** The other policies. Absent ones have their defaults. */
  readonly others: Partial<Members>
}

/** The operator of a seed. Absent: all other policies keep their defaults, and accounts are rich. */
export interface Operator {
  /** The balance of each account at first and after each refill, until the faults stop, in wei. Absent: as `fees` says. */
  readonly funds: bigint | undefined
  /** No reorganization, theft or foreign transaction happens, so that only the relayer spends its balance. */
  readonly isSteady: boolean
  /** Probability that a change of policies is made through the API, and not by a restart. */
  readonly patches: number
  /** The policy `skip_unfunded`: later transactions may pass one that cannot be paid. */
  readonly skips: boolean
  /** Where everything is canceled in the end, relayers are paused then. Cancellations go on. */
  readonly pausesAtTheEnd: boolean
}

export const gwei = 1_000_000_000n
export const firstBaseFee = 10n * gwei

/** Two seeds in five. */
export function drawOperator(dice: Dice, skipping: Dice): Operator | undefined {
  if (!dice.chance(0.4)) return undefined
  const isScarce = dice.chance(0.5)
  return {
    funds: isScarce ? gwei * BigInt(dice.pick([1_200_000, 2_000_000, 4_000_000])) : undefined,
    isSteady: isScarce && dice.chance(0.6),
    patches: dice.pick([0, 0.5, 1]),
    pausesAtTheEnd: dice.chance(0.5),
    skips: skipping.chance(0.4),
  }
}

export function drawPolicies(dice: Dice, { capped, mayPause }: { capped: boolean; mayPause: boolean }): Policies {
  return {
    maxInFlight: dice.pick([1, 2, 3, 4, 16]),
    gasPriceCap: capped ? firstBaseFee * BigInt(dice.between(3, 8)) : undefined,
    paused: [0, 1].map(() => mayPause && dice.chance(0.4)),
    others: {},
  }
}

/** The rest of them, each set now and then. */
export function drawOthers(dice: Dice, { funds = 10n ** 18n, skips }: Operator): Policies['others'] {
  const set = (chance: number) => dice.chance(chance)
  return {
    // They warn, and no decision may depend on them.
    ...{ runwayWarning: 3_600_000, lowBalance: funds },
    ...(set(0.3) && { cancelGasPriceCap: firstBaseFee * BigInt(dice.pick([2, 4, 8, 30])) }),
    ...(set(0.4) && { cancelReserve: (funds * BigInt(dice.pick([0, 5, 20, 50]))) / 100n }),
    ...(set(0.3) && { minBalance: (funds * BigInt(dice.pick([20, 60, 90]))) / 100n }),
    ...(set(0.2) && { eip1559Pricing: dice.chance(0.5) }),
    ...(set(0.15) && { gasLimitEstimation: false }),
    ...(set(0.15) && { whitelistReceivers: [dice.pick([receiver, receiver, flakyContract])] }),
    ...(set(0.15) && {
      whitelistSelectors: [
        { receiver, selectors: dice.pick([[payloadSelector], ['0x'], ['0xa9059cbb']]) as `0x${string}`[] },
      ],
    }),
    ...(set(0.15) && { valueCap: BigInt(dice.pick([0, 300, 700, 999])) }),
    ...(skips && { skipUnfunded: true }),
  }
}

/** Without the cap on cancellations every race can be won in the end. */
export function withoutCancelCap(policies: Policies): Policies {
  const { cancelGasPriceCap, ...others } = policies.others
  return cancelGasPriceCap === undefined ? policies : { ...policies, others }
}

export function inWords({ maxInFlight, gasPriceCap, paused, others }: Policies): string {
  const names = paused.flatMap((is, index) => (is ? [`r${index}`] : []))
  const set = Object.entries(others).map(
    ([name, value]) =>
      `, ${name} ${JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))}`,
  )
  return `${maxInFlight ?? 'the window'} in flight, cap ${gasPriceCap ?? 'none'}${names.length > 0 ? `, ${names} paused` : ''}${set.join('')}`
}
