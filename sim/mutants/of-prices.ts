// The engine as it would be if it believed any price that one node names.
import type { Mutant } from './mutant.ts'

const market = 'test/chain/fees/limit-tips.unit.test.ts'
const floor = { file: 'src/chain/fees/limit-tips.ts', caughtBy: 'test/chain/fees/tip-floor.unit.test.ts' }

const ceiling = 'test/domain/price-ceiling.test.ts'

export const ofPrices: readonly Mutant[] = [
  {
    name: 'never-forget-a-minimum',
    breaks: 'pays the smallest tip that a pool named once, for ever',
    caughtBy: floor.caughtBy,
    expects: 'a learned minimum is forgotten after an hour',
    edits: [{ file: floor.file, find: 'floor && clock.elapsed() - floor.learnedAt < keptMs', put: 'floor' }],
  },
  {
    name: 'a-minimum-for-all',
    breaks: 'raises every price to the smallest tip that one of several pools named',
    caughtBy: floor.caughtBy,
    expects: 'a minimum counts only as far as a second endpoint named one',
    edits: [{ file: floor.file, find: 'named[Math.min(1, named.length - 1)]', put: 'named[0]' }],
  },
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
    name: 'tips-without-a-memory',
    breaks: 'believes at once a tip that rose a hundredfold',
    caughtBy: 'test/domain/tip-marks.test.ts',
    expects: 'rises at most twofold in any ten minutes',
    edits: [{ file: 'src/domain/tip-marks.ts', find: 'const riseMost = 2n', put: 'const riseMost = 200n' }],
  },
  {
    name: 'an-offer-of-nothing-with-too-little-gas',
    breaks: 'takes a free no-op with too little gas for the offer that a pool may accept',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'one with too little gas does not count',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'isFree(attempt.fees) && attempt.gasLimit >= gas)',
        put: 'isFree(attempt.fees))',
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
    name: 'no-ceiling-for-a-first-price',
    breaks: 'offers whatever tip an estimate of gas demands',
    caughtBy: ceiling,
    expects: 'is never above the ceiling: first prices, gap fillers, and no-ops',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'eip1559Pricing, gasPriceCap ?? ceiling)',
        put: 'eip1559Pricing, gasPriceCap)',
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
    name: 'ceiling-for-named-fees',
    breaks: 'lets a price that the client named wait at the ceiling',
    caughtBy: ceiling,
    expects: 'fees that a client named',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: "pricing.kind === 'speed' ? priceCeiling(market, pricing.speed, 'payload', policy.profile) : undefined",
        put: "priceCeiling(market, pricing.kind === 'speed' ? pricing.speed : 'fast', 'payload', policy.profile)",
      },
    ],
  },
  {
    name: 'ceiling-over-rivals',
    breaks: 'lets a no-op wait below the price of the payload that it has to replace',
    caughtBy: ceiling,
    expects: "the least price over another contender's attempts: the first no-op",
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'maxWei(ceiling, effectivePrice(',
        put: 'maxWei(ceiling, 0n * effectivePrice(',
      },
    ],
  },
  {
    name: 'ceiling-of-named-caps',
    breaks: 'offers a tip as high as the fee cap of the payload that it replaces',
    caughtBy: ceiling,
    expects: 'that a client named does not raise the ceiling of the tip',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'effectivePrice(replacementFloor(others, market, rule), market.baseFee)',
        put: 'effectivePrice(replacementFloor(others, market, rule), 10n ** 30n + (market.baseFee ?? 0n))',
      },
    ],
  },
  {
    name: 'foreign-caps-hold-a-race-up',
    breaks: 'lets a no-op wait at the ceiling though only the fee cap of a foreign transaction is high',
    caughtBy: ceiling,
    expects: 'of a foreign transaction is exceeded by the cap alone',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'refused !== undefined && bidder.cap === undefined',
        put: 'refused !== undefined && bidder.cap === 0n',
      },
    ],
  },
  {
    name: 'tip-over-what-is-refused',
    breaks: 'lets a no-op wait at the ceiling for the tip of its last one, which every pool refuses',
    caughtBy: ceiling,
    expects: 'of a foreign transaction is exceeded by the cap alone',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'rivals.filter((rival) => rejectionOf(rival) === undefined)',
        put: 'rivals.filter((rival) => !wasAlwaysRejected(rival))',
      },
    ],
  },
  {
    name: 'ceiling-of-fee-caps',
    breaks:
      'lets a low tip wait because the cap of its replacement would exceed the ceiling, though nobody pays that cap',
    caughtBy: ceiling,
    expects: 'holds up no bid whose price is below it: nobody pays the cap while the',
    edits: [
      {
        file: 'src/domain/price-ceiling.ts',
        find: 'return effectivePrice(fees, baseFee) > ceiling',
        put: 'return effectivePrice(fees, 10n ** 30n + (baseFee ?? 0n)) > ceiling',
      },
    ],
  },
  {
    name: 'wait-for-a-clock-that-was-set-back',
    breaks: 'raises no price until a clock that was set back has caught up',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'waits for time as well as for blocks, unless the base fee has risen',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: 'waitedMs < 0 || waitedMs >= patience.ms',
        put: 'waitedMs >= patience.ms',
      },
    ],
  },
  {
    name: 'repeat-with-too-little-gas',
    breaks: 'repeats a no-op with too little gas where another would cost the same for a unit',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'repeats no earlier no-op of the same price that has too little gas',
    edits: [
      {
        file: 'src/domain/decide/race/bidder.ts',
        find: 'attempt.revision === revision && attempt.gasLimit >= gas',
        put: 'attempt.revision === revision && gas > 0',
      },
    ],
  },
]
