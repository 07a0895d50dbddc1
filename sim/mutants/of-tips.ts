// Mutants of the engine that forget believed prices, or take the service's own bids for the market's.
import type { Mutant } from './mutant.ts'

const believing = 'test/chain/fees/believe-tips.unit.test.ts'
const paid = 'test/chain/fees/paid-tips.unit.test.ts'

export const ofTips: readonly Mutant[] = [
  {
    name: 'any-first-tip',
    breaks: 'believes the only endpoint whatever it names first, where nothing is stored',
    caughtBy: paid,
    expects: "the only endpoint's first reading counts up to a small price",
    edits: [{ file: 'src/chain/fees/believe-tips.ts', find: 'isDevelopment ? tip', put: 'tip > 0n ? tip' }],
  },
  {
    name: 'first-tip-of-one-of-two',
    breaks: 'believes the first of two endpoints whatever it names, where nothing is stored',
    caughtBy: paid,
    expects: "of two endpoints' first readings the lower is believed",
    edits: [
      { file: 'src/chain/fees/make-market.ts', find: '? minWei(one, other) : undefined', put: '? one : undefined' },
    ],
  },
  {
    name: 'a-minute-in-one-block',
    breaks: 'takes one block for three readings',
    caughtBy: 'test/domain/tip-marks.test.ts',
    expects: 'counts a block once',
    edits: [{ file: 'src/domain/tip-marks.ts', find: 'next.block !== last.block && ', put: '' }],
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
    name: 'first-tip-of-each-replica',
    breaks: 'stores and believes the first reading of each of two replicas that start at once',
    caughtBy: believing,
    expects: 'is one first reading, whichever replica is first',
    edits: [
      {
        file: 'src/chain/fees/remember-tips.ts',
        find: '(stored) => stored.length === 0)',
        put: '(stored) => stored.length < 9)',
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
  {
    name: 'own-blocks-a-head-late',
    breaks: 'takes its own bid in the newest block for the price of the chain',
    caughtBy: paid,
    expects: 'a transaction that is found in the newest block counts for',
    edits: [
      {
        file: 'src/chain/observe.ts',
        find: 'inquiry.inclusionBlocks, inclusions.values())',
        put: 'inquiry.inclusionBlocks, [])',
      },
    ],
  },
  {
    name: 'no-history-without-a-base-fee',
    breaks: 'believes the price that a node names, though its blocks show a lower one',
    caughtBy: paid,
    expects: 'without a base fee the price is what recent blocks of others paid',
    edits: [
      {
        file: 'src/chain/fees/read-market.ts',
        find: 'at.head.baseFee === undefined ? readPaid(endpoint, at)',
        put: 'at.head.baseFee === -1n ? readPaid(endpoint, at)',
      },
    ],
  },
]
