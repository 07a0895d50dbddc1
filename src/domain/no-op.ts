// The cost of a no-op: its gas, which a chain may have to estimate, and the fee for its data on L1; and pre-signed no-ops.
import type { Attempt } from './attempt.ts'
import { belowRefused, type Fees, feeCap, type Market } from './fees.ts'
import { transferGas } from './gas-figures.ts'
import type { Hash, RelayerId } from './ids.ts'
import type { DecisionProfile } from './relayer.ts'
import type { Gas, Nonce, Wei } from './units.ts'

/**
 * The margin above the estimate, in percent. The part for L1 follows L1's base fee, which can rise by half within four blocks. Gas
 * that is not used costs nothing, unless the chain charges for the limit.
 */
const marginPercent = 50

/** The gas that sends set aside for a no-op that no node estimates. */
const unestimatedGas: Gas = 10 * transferGas

type GasRules = Pick<DecisionProfile, 'noOpGas' | 'floorGas' | 'charges'>

/**
 * The gas limit of a no-op that is signed now. Undefined while no node estimates it. Where the profile has a constant, it is estimated
 * only after a node called a no-op invalid.
 */
export function noOpGasLimit(
  market: Pick<Market, 'noOpGas' | 'refusedGas'> | undefined,
  profile: GasRules,
): Gas | undefined {
  const isConstant = profile.noOpGas === 'constant'
  const isCharged = profile.charges === 'gas_limit'
  if (market?.noOpGas === undefined) return isConstant ? transferGas : undefined
  // Both sides of a fork take it, and unused gas costs nothing unless the limit is charged.
  if (isConstant && market.noOpGas <= transferGas) return isCharged ? market.noOpGas : transferGas
  const margin = isCharged ? 0 : marginPercent
  const limit = belowRefused(Math.ceil((market.noOpGas * (100 + margin)) / 100), market.noOpGas, market)
  return profile.floorGas ? Math.max(transferGas, limit) : limit
}

/** The gas that a no-op is expected to pay for. */
export function noOpGasCharged({ noOpGas }: Pick<Market, 'noOpGas'>, gasLimit: Gas, { charges }: GasRules): Gas {
  return charges === 'gas_limit' || noOpGas === undefined ? gasLimit : Math.min(noOpGas, gasLimit)
}

/** Whether a no-op needs more gas by now than this one has. */
export function lacksGas({ gasLimit }: Pick<Attempt, 'gasLimit'>, market: Market | undefined): boolean {
  return market?.noOpGas !== undefined && gasLimit < market.noOpGas
}

/** The most that a no-op can cost. */
export function noOpCost(gasLimit: Gas, fees: Fees, { noOpL1Fee = 0n }: Pick<Market, 'noOpL1Fee'>): Wei {
  return BigInt(gasLimit) * feeCap(fees) + noOpL1Fee
}

/** The most that so many no-ops can cost, each at this price for a unit of gas. */
export function costOfNoOps(count: number, gasLimit: Gas, gasPrice: Wei, market: Pick<Market, 'noOpL1Fee'>): Wei {
  return BigInt(count) * noOpCost(gasLimit, { kind: 'legacy', gasPrice }, market)
}

/** The amount that sends set aside for one no-op. */
export function noOpReserve(fees: Fees, market: Market, profile: GasRules): Wei {
  return noOpCost(noOpGasLimit(market, profile) ?? unestimatedGas, fees, market)
}

/** A pre-signed no-op: signed before its transaction is canceled, for the time when the signer is down. */
export interface PresignedNoOp {
  readonly hash: Hash
  readonly nonce: Nonce
  readonly fees: Fees
  readonly gasLimit: Gas
  /** The signed bytes, encrypted by the vault. Only a canceled transaction opens them. */
  readonly sealed: string
}

/** The vault binds the bytes to it: they open only as this no-op of this relayer. */
export function placeOfNoOp(relayerId: RelayerId, hash: Hash): string {
  return `the pre-signed no-op ${hash} of relayer "${relayerId}"`
}
