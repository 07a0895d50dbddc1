// What an operator sets, and changes: every policy that a relayer knows, at figures that matter here.
import type { Policies as Members } from '../../src/domain/policy-table.ts'
import type { Dice } from '../../tooling/dice.ts'
import { flakyContract } from '../chain/mine.ts'
import { payloadSelector, receiver } from '../chain/transaction.ts'

export interface Policies {
  /** Undefined: the engine's own window. */
  readonly maxInFlight: number | undefined
  readonly gasPriceCap: bigint | undefined
  /** By relayer. */
  readonly paused: readonly boolean[]
  /** What else is set: what is absent is at its default. */
  readonly others: Partial<Members>
}

/** What a seed decides of its operator. Absent: policies but the first three stay at their defaults. */
export interface Operator {
  /** What the relayers' accounts hold at first, and after each refill, until the faults stop. Absent: no matter of concern. */
  readonly funds: bigint | undefined
  /** Nobody else moves the balance, and no block is taken back: all that it pays is the relayer's own doing. */
  readonly isSteady: boolean
  /** How likely a change is made through the API, to a service that is at work, and not with a restart. */
  readonly patches: number
  /** Whether later transactions pass one that cannot be paid. */
  readonly skips: boolean
  /** Relayers are paused when the faults stop, where all is canceled then: cancellations go on. */
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
    ...(set(0.3) && { cancelGasPriceCap: firstBaseFee * BigInt(dice.pick([2, 4, 8, 30])) }),
    ...(set(0.4) && { cancelReserve: (funds * BigInt(dice.pick([0, 5, 20, 50]))) / 100n }),
    ...(set(0.3) && { minBalance: (funds * BigInt(dice.pick([20, 60, 90]))) / 100n }),
    ...(set(0.2) && { eip1559Pricing: dice.chance(0.5) }),
    // Without a draw of its own, so that seeds keep their worlds.
    ...(set(0.15) && { gasLimitEstimation: false, includeRevertData: true, revertAbi: [] }),
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

/** In the end a race must be able to win, whatever it takes. */
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
  return `${maxInFlight ?? 'a window'} in flight, cap ${gasPriceCap ?? 'none'}${names.length > 0 ? `, ${names} paused` : ''}${set.join('')}`
}
