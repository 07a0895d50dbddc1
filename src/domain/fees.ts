// Fees: the market's price for a send, and the price at which pools accept a replacement over its rivals.
import type { NonEmpty } from './ids.ts'
import { type BlockNumber, type Gas, maxWei, minWei, raisedBy, type TimestampMs, type Wei } from './units.ts'

/**
 * Per gas. The kind is the transaction type family (EIP-2718), the same for every attempt of a nonce: `legacy` prices
 * types 0 and 1 (EIP-2930), which pools compare alike, and `eip1559` type 2.
 */
export type Fees =
  | { readonly kind: 'legacy'; readonly gasPrice: Wei }
  | { readonly kind: 'eip1559'; readonly maxFeePerGas: Wei; readonly maxPriorityFeePerGas: Wei }

export const speeds = ['safeLow', 'average', 'fast', 'fastest'] as const
export type Speed = (typeof speeds)[number]

/** The client's choice: the market's price at a speed, or fees of its own, which the service never raises. */
export type Pricing =
  | { kind: 'speed'; speed: Speed }
  | { kind: 'legacy'; gasPrice: Wei }
  | { kind: 'eip1559'; maxFeePerGas: Wei; maxPriorityFeePerGas: Wei }

/** One reading of a network's prices, shared by all its relayers for a block. */
export interface Market {
  /** The base fee of the next block; absent before EIP-1559. */
  readonly baseFee?: Wei
  readonly tips: Readonly<Record<Speed, Wei>>
  readonly gasPrice: Wei
  /** The tips without any minimum that a node names. Absent: no minimum is higher. */
  readonly paidTips?: Readonly<Record<Speed, Wei>>
  /** The smallest tip that pools accept, as far as it counts. Absent: they name none. */
  readonly minimumTip?: Wei
  /** The last read of the tip that a node suggests (eth_maxPriorityFeePerGas). */
  readonly suggestedTip?: Wei
  /** The gas that a node estimates for a no-op, where the profile has it estimated. Absent where no node does. */
  readonly noOpGas?: Gas
  /** A gas limit that all refused within the last hour while one took less: no margin reaches it. */
  readonly refusedGas?: Gas
  /** The fee of a no-op for its data on L1, beside gas. Absent where there is none, or where no node reports it. */
  readonly noOpL1Fee?: Wei
  /** The most that a further byte of data on L1 costs. Present with the fee of a no-op. */
  readonly l1FeePerByte?: Wei
  /** Those of the newest blocks that held transactions and had room. Absent if no node reports how full they are. */
  readonly openBlocks?: readonly OpenBlock[]
  /** The newest blocks; absent if no node reports how full they are. */
  readonly blocks?: {
    /** At least one block holds a transaction: the chain mines. */
    readonly areUsed: boolean
    /** At least one block had room for more. */
    readonly haveRoom: boolean
  }
}

/** `tip`: what a fifth of its gas paid, or less. */
export interface OpenBlock {
  readonly number: BlockNumber
  readonly baseFee: Wei
  readonly tip: Wei
}

/** The limit with its margin, or the bare one where the margin reaches a limit that nodes refuse. */
export function belowRefused(gas: Gas, bare: Gas, market: Pick<Market, 'refusedGas'> | undefined): Gas {
  return gas < (market?.refusedGas ?? Number.POSITIVE_INFINITY) ? gas : bare
}

/** The price of a send for a unit of gas, as last read: the base fee, and the tip of speed `average`. */
export interface NetworkPrice {
  readonly perGas: Wei
  readonly block: BlockNumber
  readonly readAt: TimestampMs
}

/**
 * How a client's pool compares a replacement with what it holds.
 * - `fields`: fee cap and tip must each rise (geth `core/txpool/legacypool/list.go`, reth `pool/config.rs`).
 * - `effectivePrice`: the price at the current base fee must rise (Besu `TransactionReplacementByFeeMarketRule`).
 */
export interface ReplacementRule {
  readonly measure: 'fields' | 'effectivePrice'
  readonly percent: bigint
}

/** Every known client accepts it. It applies to nodes of unknown make. */
export const strictestRule: ReplacementRule = { measure: 'effectivePrice', percent: 10n }

/** The most that a gas unit can cost: the balance must cover it. */
export function feeCap(fees: Fees): Wei {
  return fees.kind === 'legacy' ? fees.gasPrice : fees.maxFeePerGas
}

export function tipOf(fees: Fees): Wei {
  return fees.kind === 'legacy' ? fees.gasPrice : fees.maxPriorityFeePerGas
}

/** A legacy transaction pays its gas price. Others pay the base fee and the tip, up to the cap (EIP-1559). */
export function effectivePrice(fees: Fees, baseFee: Wei = 0n): Wei {
  return minWei(feeCap(fees), baseFee + tipOf(fees))
}

/** Two base fees ahead of the market: it survives six full blocks in a row (EIP-1559 raises by an eighth a block). */
export function marketFees(market: Market, speed: Speed, eip1559: boolean): Fees {
  if (!eip1559 || market.baseFee === undefined) {
    return { kind: 'legacy', gasPrice: maxWei(market.gasPrice, (market.baseFee ?? 0n) + market.tips[speed]) }
  }
  const tip = market.tips[speed]
  return { kind: 'eip1559', maxFeePerGas: 2n * market.baseFee + tip, maxPriorityFeePerGas: tip }
}

/** The fees of a first attempt; undefined while the cap is below the next block's base fee. */
export function firstFees(pricing: Pricing, market: Market, eip1559: boolean, cap: Wei | undefined): Fees | undefined {
  if (pricing.kind === 'legacy') return withinCap({ kind: 'legacy', gasPrice: pricing.gasPrice }, cap)
  if (pricing.kind === 'eip1559') {
    const { maxFeePerGas, maxPriorityFeePerGas } = pricing
    return withinCap({ kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }, cap)
  }
  const fees = lowered(marketFees(market, pricing.speed, eip1559), cap)
  return market.baseFee !== undefined && feeCap(fees) < market.baseFee ? undefined : fees
}

/** The offer beyond any floor: the market's price, raised by a quarter for each earlier try, up to the multiple. */
export function escalatedFees(
  market: Market,
  { speed, tries, kind, refused }: { speed: Speed; tries: number; kind: Fees['kind']; refused?: Fees | undefined },
): Fees {
  const wanted = escalated(ofKind(kind, marketFees(market, speed, kind === 'eip1559')), tries)
  return refused ? higher(wanted, outbidding(refused, market)) : wanted
}

/** The fees times a factor. */
export function multiplied(fees: Fees, by: bigint): Fees {
  return mapFees(fees, (wei) => wei * by)
}

/** The fees with at least this tip, on top of the base fee that the market leads to. */
export function withTip(fees: Fees, tip: Wei, { baseFee = 0n }: Market): Fees {
  if (fees.kind === 'legacy') return { kind: 'legacy', gasPrice: maxWei(fees.gasPrice, 2n * baseFee + tip) }
  return higher(fees, { kind: 'eip1559', maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip })
}

export function isSame(one: Fees, other: Fees): boolean {
  return one.kind === other.kind && feeCap(one) === feeCap(other) && tipOf(one) === tipOf(other)
}

/** A chain may have lost its base fee since the first attempt. Every later one keeps that type family. */
function ofKind(kind: Fees['kind'], fees: Fees): Fees {
  if (fees.kind === kind) return fees
  const price = feeCap(fees)
  return kind === 'legacy'
    ? { kind, gasPrice: price }
    : { kind, maxFeePerGas: price, maxPriorityFeePerGas: tipOf(fees) }
}

/**
 * A foreign transaction's price is not public, so each try doubles the tip. A foreign transaction that waits unmined
 * can't pay the base fee, and its tip is no more than it can pay. A quarter above the base fee exceeds every client's
 * demand over it, so the service pays nothing beyond.
 */
function outbidding(refused: Fees, { baseFee }: Market): Fees {
  if (baseFee === undefined) return refused
  const tip = minWei(2n * tipOf(refused), raisedBy(baseFee, 25n))
  return refused.kind === 'legacy'
    ? { kind: 'legacy', gasPrice: tip }
    : { kind: 'eip1559', maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip }
}

/** Whether the price has doubled. A few dozen doublings lead from one wei to all there is. */
export function isDouble(fees: Fees, before: Fees): boolean {
  return feeCap(fees) >= 2n * feeCap(before) || tipOf(fees) >= 2n * tipOf(before)
}

/** The lowest fees that replace every one of `rivals`. */
export function replacementFloor(
  rivals: NonEmpty<{ readonly fees: Fees }>,
  market: Market,
  rule: ReplacementRule,
): Fees {
  return rivals.map((rival) => floorOver(rival.fees, market, rule)).reduce((most, floor) => higher(most, floor))
}

/** The lowest fees at which a pool replaces one bid. */
export function floorOver(rival: Fees, market: Market, rule: ReplacementRule): Fees {
  const raised = (wei: Wei) => strictlyRaised(wei, rule)
  if (rival.kind === 'legacy') return { kind: 'legacy', gasPrice: raised(rival.gasPrice) }
  const cap = raised(rival.maxFeePerGas)
  const tip = raised(rival.maxPriorityFeePerGas)
  if (rule.measure === 'fields') return { kind: 'eip1559', maxFeePerGas: cap, maxPriorityFeePerGas: tip }
  const baseFee = hardestBaseFee(rival.maxFeePerGas - rival.maxPriorityFeePerGas, market.baseFee ?? 0n)
  const effective = raised(effectivePrice(rival, baseFee))
  return { kind: 'eip1559', maxFeePerGas: cap, maxPriorityFeePerGas: maxWei(tip, effective - baseFee) }
}

/**
 * Fees that stay above a rival's at a node's own head. It may be two blocks newer, so its base fee lies between -23 % and +27 % of
 * ours. A rival is hardest to outbid where its cap begins to bind: above that its price stays the same while ours
 * still rises.
 */
function hardestBaseFee(capBinds: Wei, baseFee: Wei): Wei {
  const lowest = (baseFee * 76n) / 100n
  // A block raises it by at least 1 (EIP-1559).
  const highest = maxWei(raisedBy(baseFee, 27n), baseFee + 2n)
  return maxWei(lowest, minWei(highest, capBinds))
}

/** The lowest fees at which a pool replaces one bid at any base fee, so that a later block does not outdate them. */
export function lastingFloorOver(rival: Fees, market: Market, rule: ReplacementRule): Fees {
  if (rival.kind === 'legacy') return floorOver(rival, market, rule)
  return floorOver(rival, { ...market, baseFee: rival.maxFeePerGas - rival.maxPriorityFeePerGas }, rule)
}

/** Whether they are no lower than `floor` in any field. */
export function covers(fees: Fees, floor: Fees): boolean {
  return isSame(higher(fees, floor), fees)
}

/** The fees raised by a percentage. */
export function raisedFees(fees: Fees, percent: bigint): Fees {
  return mapFees(fees, (wei) => raisedBy(wei, percent))
}

/** The raised amount, rounded up, and more than before. Older releases of Besu also refuse exactly the percentage. */
function strictlyRaised(amount: Wei, { measure, percent }: ReplacementRule): Wei {
  const least = raisedBy(amount, percent)
  const exact = least * 100n === amount * (100n + percent)
  return maxWei(measure === 'effectivePrice' && exact ? least + 1n : least, amount + 1n)
}

function escalated(fees: Fees, tries: number): Fees {
  return raisedFees(fees, 25n * BigInt(Math.min(tries, maxEscalations)))
}

/**
 * Our own escalation ends at this multiple of the market's price, or of the bid that it has to exceed first (`bid.ts`).
 */
export const escalationMultiple = 10n
const maxEscalations = Number((escalationMultiple - 1n) * 4n)

export function higher(one: Fees, other: Fees): Fees {
  if (one.kind === 'legacy') return { kind: 'legacy', gasPrice: maxWei(one.gasPrice, feeCap(other)) }
  return {
    kind: 'eip1559',
    maxFeePerGas: maxWei(one.maxFeePerGas, feeCap(other)),
    maxPriorityFeePerGas: maxWei(one.maxPriorityFeePerGas, tipOf(other)),
  }
}

export function lowered(fees: Fees, cap: Wei | undefined): Fees {
  return cap === undefined ? fees : mapFees(fees, (wei) => minWei(wei, cap))
}

function withinCap(fees: Fees, cap: Wei | undefined): Fees | undefined {
  return cap !== undefined && feeCap(fees) > cap ? undefined : fees
}

function mapFees(fees: Fees, change: (wei: Wei) => Wei): Fees {
  if (fees.kind === 'legacy') return { kind: 'legacy', gasPrice: change(fees.gasPrice) }
  return {
    kind: 'eip1559',
    maxFeePerGas: change(fees.maxFeePerGas),
    maxPriorityFeePerGas: change(fees.maxPriorityFeePerGas),
  }
}

/**
 * The market where a node demands tips of at least `tip`, as for a payload's data. What blocks paid stays as it was: no node's demand
 * raises the ceiling.
 */
export function withLeastTip(market: Market, tip: Wei | undefined): Market {
  if (tip === undefined) return market
  const tips = { ...market.tips }
  for (const speed of speeds) tips[speed] = maxWei(tips[speed], tip)
  const paidTips = market.paidTips ?? market.tips
  return { ...market, tips, paidTips, gasPrice: maxWei(market.gasPrice, (market.baseFee ?? 0n) + tip) }
}
