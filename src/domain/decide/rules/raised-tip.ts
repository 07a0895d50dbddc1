// The raised tip: builders leave out transactions with a low tip, and say so nowhere (geth `--miner.gasprice`; on Polygon 25 gwei, on BSC
// 0.05 gwei; `tip_floor` of a network's profile).
//
// Without this file a payload that names no tip would wait for ever in a pool that shows it, as the base fee never rises above its price. The
// promise: once a nonce has been next for 12 blocks with room, and 24 s, its tip is raised, once: to the profile's, a node's suggestion, the tip that
// blocks paid, or ten times that while it is small, whichever is the highest. For example, blocks paid 0.1 gwei on a chain without a tip in its
// profile: the tip rises to 1 gwei, and a transfer costs 0.00002 ether more. Where they paid 2 gwei it rises to 3, as ten times what they paid
// may be ten times our own price.
//
// Where the nonce is not next, or blocks have no room, it answers undefined.
import { type Attempt, recordedMomentOf } from '../../attempt.ts'
import { escalationMultiple, type Market, type Speed, tipOf } from '../../fees.ts'
import { isOver, type Patience } from '../../patience.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import { maxWei, minWei, type Wei } from '../../units.ts'
import type { Situation } from '../plan/work.ts'
import type { Bidder, BidFacts } from '../terms/bidder.ts'

/** Per gas: a transfer at this tip costs some hundred-thousandths of an ether. */
const smallTip = 3_000_000_000n

/** What the next nonce gets where blocks have room, 24 s of it in time. Then its tip rises to one that every miner accepts. */
function raisedTipAfter({ bumpAfter }: Pick<NetworkPolicy, 'bumpAfter'>): Patience {
  return { blocks: 12, ms: 8 * bumpAfter.ms }
}

/**
 * The tip for a nonce that has waited for long. Ten times the paid tip counts only as far as it is small: where blocks hold little but our
 * own transactions, each of those would pay ten times the one before.
 */
export function raisedTip(
  { transaction, speed }: Pick<Bidder, 'transaction' | 'speed'>,
  { head, nonce, now }: Pick<BidFacts, 'head' | 'nonce' | 'now'>,
  market: Market,
  policy: Pick<NetworkPolicy, 'raisedTip' | 'bumpAfter'>,
): Wei | undefined {
  const { lifecycle } = transaction
  const since = recordedMomentOf(lifecycle.attempts[0], head.number)
  const hasWaited = isOver(raisedTipAfter(policy), since, { block: head.number, ms: now })
  if (lifecycle.nonce !== nonce || !hasWaited || market.blocks?.haveRoom === false) return undefined
  if (market.baseFee === undefined) return undefined
  const paid = market.tips[speed]
  return maxWei(policy.raisedTip ?? 0n, market.suggestedTip ?? 0n, paid, minWei(escalationMultiple * paid, smallTip))
}

/** Whether its tip is below the tip for a nonce that has waited for long. */
export function wantsRaisedTip(
  transaction: InPhase<'inFlight'>,
  latest: Attempt,
  speed: Speed,
  { observation, policy, now }: Situation,
): boolean {
  const { market } = observation
  const tip = market && raisedTip({ transaction, speed }, { ...observation, now }, market, policy)
  return tip !== undefined && tipOf(latest.fees) < tip
}
