// What each client's pool demands of a replacement, written anew from the clients' sources, apart from what we price.
import type { Fees } from '../../src/domain/fees.ts'

/** Whether the pool puts `next` in the place of `old` while blocks have `baseFee`. */
export type PoolRule = (old: Fees, next: Fees, baseFee: bigint) => boolean

/** A legacy price is cap and tip at once. */
const cap = (fees: Fees) => (fees.kind === 'legacy' ? fees.gasPrice : fees.maxFeePerGas)
const tip = (fees: Fees) => (fees.kind === 'legacy' ? fees.gasPrice : fees.maxPriorityFeePerGas)

const least = (one: bigint, other: bigint) => (one < other ? one : other)
const tenPercentDown = (old: bigint) => (old * 110n) / 100n
const tenPercentUp = (old: bigint) => (old * 110n + 99n) / 100n

/** geth `core/txpool/legacypool/list.go`: both strictly higher, and both at the rounded-down threshold. */
const geth: PoolRule = (old, next) =>
  cap(next) > cap(old) &&
  tip(next) > tip(old) &&
  cap(next) >= tenPercentDown(cap(old)) &&
  tip(next) >= tenPercentDown(tip(old))

/** reth `crates/transaction-pool`: both at the rounded-up threshold; no change is no replacement. */
const reth: PoolRule = (old, next) =>
  cap(next) > cap(old) && cap(next) >= tenPercentUp(cap(old)) && tip(next) >= tenPercentUp(tip(old))

/** Erigon `txnprovider/txpool/pool.go`: both at the rounded-down threshold. */
const erigon: PoolRule = (old, next) => cap(next) >= tenPercentDown(cap(old)) && tip(next) >= tenPercentDown(tip(old))

/** Nethermind `CompareReplacedTxByFee`: a tenth, rounded down, on both; a tie of the tips counts only if tenths are not 0. */
const nethermind: PoolRule = (old, next) => {
  if (cap(next) < cap(old) + cap(old) / 10n) return false
  const wanted = tip(old) + tip(old) / 10n
  return tip(next) > wanted || (tip(next) === wanted && cap(old) >= 10n && tip(old) >= 10n)
}

/**
 * Besu `TransactionReplacementByFeeMarketRule`: the effective price up by a tenth without a lower tip, or equal with the
 * tip up by a tenth. Older releases want more than a tenth, exactly a tenth is not enough; theirs is the rule here.
 */
export const besu: PoolRule = (old, next, baseFee) => {
  const bumped = (was: bigint, is: bigint) => was * 110n < is * 100n
  const price = (fees: Fees) => (fees.kind === 'legacy' ? fees.gasPrice : least(cap(fees), baseFee + tip(fees)))
  const priority = (fees: Fees) => (cap(fees) < baseFee ? 0n : least(tip(fees), cap(fees) - baseFee))
  if (bumped(price(old), price(next))) return priority(next) >= priority(old)
  return price(old) === price(next) && bumped(priority(old), priority(next))
}

/** anvil: a higher cap is all it wants. */
const anvil: PoolRule = (old, next) => cap(next) > cap(old)

/** Hardhat's EDR: both at the rounded-up threshold. */
const hardhat: PoolRule = (old, next) => cap(next) >= tenPercentUp(cap(old)) && tip(next) >= tenPercentUp(tip(old))

/** Those that compare fields, and so are served by the rule `fields`. */
export const fieldRules = { geth, reth, erigon, nethermind, anvil, hardhat }
export const everyRule = { ...fieldRules, besu }

/** The lowest and the highest base fee that `blocks` blocks can lead to (EIP-1559: an eighth, upwards at least 1). */
export function baseFeeRange(baseFee: bigint, blocks: number): readonly [bigint, bigint] {
  let [low, high] = [baseFee, baseFee]
  for (let block = 0; block < blocks; block += 1) {
    low -= low / 8n
    high += high >= 8n ? high / 8n : 1n
  }
  return [low, high]
}
