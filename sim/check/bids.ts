// Checks the bids on their way: the engine may outbid others without a limit, and its own bids only up to a multiple.
//
// Where the chain mines nothing of ours, a dearer attempt is no better than the one before. So nothing that is signed pays
// more than a multiple of the price of somebody else: the market, the client, or a foreign transaction.
import type { Hash, Hex } from '../../src/domain/ids.ts'
import { maxWei, minWei, raisedBy } from '../../src/domain/units.ts'
import type { Block } from '../chain/blocks.ts'
import { effectivePrice } from '../chain/profiles.ts'
import { decode, type SimTransaction } from '../chain/transaction.ts'
import type { Disk } from '../process/database.ts'
import type { FeeWorld } from '../scenario/fees.ts'
import { gwei } from '../scenario/policies.ts'
import type { Recorded } from './bytes.ts'

/** The documented limit: so many times the market, or the least that replaces what somebody else has bid. */
export const multipleMax = 10n
/** The tip that a chain without traffic may demand, although no block there pays it, in wei. */
const quietTip = 3n * gwei
/**
 * Whether what we paid ourselves a few blocks ago is a price of the market, to be escalated from. Beyond what a quiet chain may
 * want it should not be; as long as prices are read from blocks that hold nothing else, it is.
 */
const countsOwn = true
/** In empty blocks a higher price changes nothing, so the multiple is lower. */
const multipleWhereEmpty = 2n
/** The engine reads the prices of so much time, of this many blocks at least and at most. */
const historyMs = 20_000
const historyBlocksMin = 10
const historyBlocksMax = 100
/** So many blocks may have come since the base fee that a bid was made for. */
const behindBlocks = 10
/** A price may be read from a node that is so many blocks ahead of the head. */
const aheadBlocks = 2

export interface Bids {
  leaving(raws: readonly Hex[]): void
  /** Signed for an account of ours by somebody else, or not on record any more: it may have to be outbid. */
  foreign(transaction: SimTransaction): void
  sealed(block: Block): void
}

export interface BidWatch {
  fail(what: string): void
  recorded(hash: Hash): Recorded | undefined
  /** The highest tip that a node that names false prices may be believed. */
  namedTip(): bigint
  /** The least block time of the run. */
  readonly blocktimeMs: number
}

/** The prices at one height: the next base fee, and the tips of others and of our own. */
interface Paid {
  readonly baseFee: bigint
  readonly leastBaseFee: bigint
  readonly tip: bigint
  readonly own: bigint
  /** A block at this height holds a transaction. */
  readonly isUsed: boolean
}

interface Bid {
  readonly cap: bigint
  readonly tip: bigint
}

interface Named {
  readonly earlier: string | null
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
  readonly max_priority_fee_per_gas: string | null
}

export function watchBids(
  { committed }: Disk,
  fees: FeeWorld,
  { fail, recorded, namedTip, blocktimeMs }: BidWatch,
): Bids {
  // For a while blocks may come twice as fast.
  const historyBlocks = Math.min(historyBlocksMax, Math.max(historyBlocksMin, Math.ceil((2 * historyMs) / blocktimeMs)))
  const firstOf = committed<[string, number], { at: number }>(
    'SELECT min(recorded_at_block) AS at FROM attempts WHERE transaction_id = ? AND nonce = ?',
  )
  const before = committed<[Hash], { position: number }>(
    "SELECT b.position FROM attempts a JOIN answered b ON b.transaction_id = a.transaction_id AND b.nonce = a.nonce AND b.kind = a.kind AND b.revision = a.revision AND b.position < a.position WHERE a.hash = ? AND b.state NOT IN ('held', 'refused') AND b.rejections IS NOT 'all'",
  )
  const equals = committed<[Hash], Pick<Named, 'gas_price' | 'max_fee_per_gas'>>(
    'SELECT b.gas_price, b.max_fee_per_gas FROM attempts a JOIN attempts b ON b.transaction_id = a.transaction_id AND b.nonce = a.nonce AND b.kind = a.kind AND b.revision = a.revision AND b.gas_limit = a.gas_limit AND b.position < a.position WHERE a.hash = ?',
  )
  const pricedAhead = committed<[Hash], Omit<Named, 'earlier'>>(
    'SELECT b.gas_price, b.max_fee_per_gas, b.max_priority_fee_per_gas FROM attempts a JOIN attempts b ON b.transaction_id = a.transaction_id AND b.nonce = a.nonce AND b.position < a.position WHERE a.hash = ? AND b.presigned = 1',
  )
  const namedBy = committed<[string], Named>(
    'SELECT earlier, gas_price, max_fee_per_gas, max_priority_fee_per_gas FROM transactions WHERE id = ?',
  )
  const seen = new Set<Hash>()
  /** Bids of foreign transactions, by sender and nonce. */
  const foreign = new Map<string, Bid[]>()
  /** The highest prices of all branches, by height. The base fee of a block stands at the height below it. */
  const paid = new Map<number, Paid>()
  const atFirst: Omit<Paid, 'leastBaseFee'> = {
    isUsed: false,
    own: 0n,
    baseFee: fees.firstBaseFee,
    tip: maxWei(fees.suggestedTip, fees.poolTipMin, fees.builderTipMin),
  }

  /** The highest prices that a node could report while the nonce was ours. */
  function marketOf(first: number, at: number): Omit<Paid, 'leastBaseFee'> {
    let { baseFee, tip, own, isUsed } = atFirst
    if (first > historyBlocks) baseFee = 0n
    for (let height = first - historyBlocks; height <= at + aheadBlocks; height += 1) {
      const block = paid.get(height)
      if (!block) continue
      baseFee = maxWei(baseFee, block.baseFee)
      tip = maxWei(tip, block.tip)
      own = maxWei(own, block.own)
      isUsed ||= block.isUsed
    }
    return { baseFee, tip: maxWei(tip, namedTip(), countsOwn ? own : minWei(own, quietTip)), own, isUsed }
  }

  /** Below the base fee no tip helps: of each purpose, one attempt at its fee cap is enough. */
  function checkBelowBaseFee({ hash, cap }: SimTransaction, { transaction_id: id, ...attempt }: Recorded): void {
    const { recorded_at_block: at, position, presigned } = attempt
    if (presigned === 1 || fees.isFree) return
    for (let height = at - behindBlocks; height <= at + aheadBlocks; height += 1) {
      const least = paid.get(height)?.leastBaseFee
      if (least !== undefined && least <= cap) return
    }
    if (!paid.has(at)) return
    if (equals(hash).some((before) => BigInt(before.max_fee_per_gas ?? before.gas_price ?? 0) >= cap))
      fail(`attempt ${position} of ${id.slice(-6)} is below the base fee, as is an earlier one with no lower fee cap`)
  }

  function check(transaction: SimTransaction, attempt: Recorded): void {
    const { from, nonce, cap, tip } = transaction
    const { transaction_id: id, kind, position, presigned, recorded_at_block: at } = attempt
    // Of no-ops, and of each replacement, the first that a pool may hold has no limit: it has to exceed the payload's bids.
    if (position > 0 && before(transaction.hash).length === 0) return
    const market = marketOf(firstOf(id, nonce)[0]?.at ?? at, at)
    const bids = [...(foreign.get(`${from} ${nonce}`) ?? []), ...namedBy(id).flatMap(bidsOf)].map(replacing)
    // Where a node reports one price only, the engine expects an eighth more.
    const baseFee = raisedBy(market.baseFee, 13n)
    // A pre-signed no-op was priced ahead, for a market that rises.
    const multiple = market.isUsed || presigned === 1 ? multipleMax : multipleWhereEmpty
    // A pool compares caps, too, and where the base fee is next to nothing a cap is all tip.
    const limit = (ofMarket: bigint) =>
      replaced(maxWei(multiple * maxWei(ofMarket, ...bids.map((bid) => bid.cap)), 2n * baseFee + quietTip))
    const price = effectivePrice(transaction, baseFee)
    // No pool takes anything cheaper in the place of a pre-signed no-op.
    const ahead = pricedAhead(transaction.hash)
      .flatMap((each) => bidsOf({ ...each, earlier: null }))
      .map(replacing)
    const priceMost = maxWei(limit(baseFee + market.tip), ...ahead.map((bid) => effectivePrice(bid, baseFee)))
    const capMost = maxWei(limit(2n * baseFee + market.tip), ...ahead.map((bid) => bid.cap))
    if (price <= priceMost && cap <= capMost) return
    fail(
      `attempt ${position} of ${id.slice(-6)} for nonce ${nonce} (${kind}) bids ${cap}, tip ${tip}: against a base fee of ${baseFee} and tips of ${market.tip} (ours ${market.own}) it may be ${capMost}, and pay ${priceMost}${
        bids.length > 0 ? `; others bid ${bids.map((bid) => `${bid.cap}, tip ${bid.tip}`).join('; ')}` : ''
      }`,
    )
  }

  return {
    leaving(raws) {
      for (const raw of raws) {
        const transaction = decode(raw)
        const attempt = recorded(transaction.hash)
        if (!attempt || seen.has(transaction.hash)) continue
        seen.add(transaction.hash)
        checkBelowBaseFee(transaction, attempt)
        check(transaction, attempt)
      }
    },
    foreign({ from, nonce, cap, tip }) {
      const key = `${from} ${nonce}`
      // Its price is not public. An engine that doubles its bid until it wins ends at up to twice of it.
      foreign.set(key, [...(foreign.get(key) ?? []), { cap: 2n * cap, tip: 2n * tip }])
    },
    sealed(block) {
      const { nextBaseFee } = block
      const known = paid.get(block.number) ?? {
        ...{ baseFee: nextBaseFee, leastBaseFee: nextBaseFee },
        ...{ tip: 0n, own: 0n, isUsed: false },
      }
      paid.set(block.number, {
        baseFee: maxWei(known.baseFee, nextBaseFee),
        leastBaseFee: minWei(known.leastBaseFee, nextBaseFee),
        tip: maxWei(known.tip, ...block.othersTips.slice(-1)),
        isUsed: known.isUsed || block.gasUsed > 0,
        own: maxWei(known.own, ...block.included.map(({ price }) => price - block.baseFee)),
      })
    },
  }
}

/** The prices that the client named, in any of its payloads. */
function bidsOf(named: Named): readonly Bid[] {
  const earlier = named.earlier === null ? [] : (JSON.parse(named.earlier) as Partial<Named>[])
  return [...earlier, named].flatMap(({ gas_price: price, max_fee_per_gas: cap, max_priority_fee_per_gas: tip }) => {
    if (price) return [{ cap: BigInt(price), tip: BigInt(price) }]
    return cap && tip ? [{ cap: BigInt(cap), tip: BigInt(tip) }] : []
  })
}

/** The least that takes its place. */
function replacing({ cap, tip }: Bid): Bid {
  return { cap: replaced(cap), tip: replaced(tip) }
}

/** Raised by as much as the strictest pools demand: the last step to a limit may exceed it by that. */
function replaced(wei: bigint): bigint {
  return raisedBy(wei, 13n) + 1n
}
