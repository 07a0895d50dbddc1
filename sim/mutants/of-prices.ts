// The engine as it would be if it believed any price that one node names, or its own bids, or forgot what it believed.
import type { Mutant } from './mutant.ts'

const market = 'test/chain/fees/limit-tips.unit.test.ts'
const ceiling = 'test/domain/price-ceiling.test.ts'
const believing = 'test/chain/fees/believe-tips.unit.test.ts'
const paid = 'test/chain/fees/paid-tips.unit.test.ts'

export const ofPrices: readonly Mutant[] = [
  {
    name: 'any-minimum',
    breaks: 'pays whatever smallest tip a pool names',
    caughtBy: market,
    expects: "a pool's own minimum counts up to 100 gwei, or up to the limit",
    edits: [
      {
        file: 'src/chain/fees/limit-tips.ts',
        find: 'return minWei(learned, maxWei(limit, learnedMost))',
        put: 'return maxWei(learned, minWei(limit, learnedMost))',
      },
    ],
  },
  {
    name: 'any-tip',
    breaks: 'offers whatever tip the only node reports',
    caughtBy: market,
    expects: 'no tip, price or suggestion of a reading exceeds the limit',
    edits: [
      {
        file: 'src/chain/fees/limit-tips.ts',
        find: 'for (const speed of speeds) tips[speed] = minWei(tips[speed], limit)',
        put: 'for (const speed of speeds) tips[speed] = maxWei(tips[speed], minWei(limit, 0n))',
      },
    ],
  },
  {
    name: 'any-base-fee',
    breaks: 'believes a next base fee that the header does not explain',
    caughtBy: market,
    expects: 'a next base fee that the header does not explain',
    edits: [
      {
        file: 'src/chain/fees/limit-tips.ts',
        find: 'if (isNear) return market',
        put: 'if (isNear || Boolean(market)) return market',
      },
    ],
  },
  {
    name: 'no-ceiling',
    breaks: 'follows any price that the only node reports, tenfold',
    caughtBy: ceiling,
    expects: 'ends at the ceiling, waits with a condition, keeps its attempts, and',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'bidder.cap ?? bidCeiling(rivals, bidder, observation, market, policy)',
        put: 'bidder.cap ?? 10n ** 9n * bidCeiling(rivals, bidder, observation, market, policy)',
      },
    ],
  },
  {
    name: 'ceiling-of-named-minimums',
    breaks: 'raises the ceiling tenfold with whatever smallest tip a node names',
    caughtBy: ceiling,
    expects: 'does not follow a minimum that a node names tenfold, and an estimate',
    edits: [
      {
        file: 'src/domain/price-ceiling.ts',
        find: 'if (paidTips) return (baseFee ?? 0n) + paidTips[speed]',
        put: 'if (paidTips) return (baseFee ?? 0n) + tips[speed]',
      },
    ],
  },
  {
    name: 'any-first-tip',
    breaks: 'believes the only endpoint whatever it names first, where nothing is stored',
    caughtBy: paid,
    expects: "the only endpoint's first reading counts up to a small price",
    edits: [{ file: 'src/chain/fees/believe-tips.ts', find: 'isDevelopment ? tip', put: 'tip > 0n ? tip' }],
  },
  {
    name: 'forget-tips-at-a-restart',
    breaks: 'believes the first reading of each process',
    caughtBy: believing,
    expects: 'counts in the next process, and in another replica',
    edits: [
      {
        file: 'src/chain/fees/remember-tips.ts',
        find: 'return memory ? storedTips(memory, clock, logger) : ownTips(clock)',
        put: 'return memory && !logger ? storedTips(memory, clock, logger) : ownTips(clock)',
      },
    ],
  },
  {
    name: 'store-any-tip',
    breaks: 'stores a false price in full, to be believed ten minutes later',
    caughtBy: believing,
    expects: 'never exceeds what the rule lets it be believed',
    edits: [
      {
        file: 'src/chain/fees/believe-tips.ts',
        find: 'minWei(reading.tip, allowance)',
        put: 'minWei(reading.tip, 9n * allowance)',
      },
    ],
  },
  {
    name: 'follow-own-bids',
    breaks: 'takes its own bids for the price of the chain, and bids ten times as much',
    caughtBy: paid,
    expects: 'a block of our own that is on record is no price of the chain',
    edits: [
      {
        file: 'src/chain/fees/compare-readings.ts',
        find: 'paid.filter(({ number }) => !isOwn(number))',
        put: 'paid.filter(({ number }) => !isOwn(-number))',
      },
    ],
  },
]
