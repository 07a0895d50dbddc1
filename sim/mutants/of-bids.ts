// The engine broken in what it bids: relayers that freeze, that bid against themselves, or that never learn what a chain takes.
import type { Mutant } from './mutant.ts'

export const ofBids: readonly Mutant[] = [
  {
    name: 'no-limit-on-escalation',
    breaks: 'goes on outbidding itself where nothing of ours is mined',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'ends at the multiple of the market, for sends and for no-ops',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'const limited = isOwnEscalation(',
        put: 'const limited = rivals.length < 0 && isOwnEscalation(',
      },
    ],
  },
  {
    name: 'multiply-what-we-paid',
    breaks: 'raises a tip that has waited to ten times what blocks show, which is what it paid itself',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'is raised to ten times what blocks paid while that is small',
    edits: [
      {
        file: 'src/domain/decide/rules/raised-tip.ts',
        find: 'minWei(escalationMultiple * paid, smallTip)',
        put: 'maxWei(escalationMultiple * paid, smallTip)',
      },
    ],
  },
  {
    name: 'bid-in-vain',
    breaks: 'raises the tip at the cap, block after block, while the base fee is above it',
    caughtBy: 'test/domain/decide/below-base-fee.test.ts',
    expects: 'a payload gets one attempt at its cap',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'if (bidder.cap !== undefined && isVainBelowBaseFee(',
        put: 'if (bidder.own.length < 0 && isVainBelowBaseFee(',
      },
    ],
  },
  {
    name: 'silent-at-the-cap',
    breaks: 'shows no condition while a payload in flight waits at its cap',
    with: ['feeAboveCap'],
    expects: 'is below the base fee at its limit, and shows no condition',
    edits: [
      {
        file: 'src/domain/decide/race/explain-contender.ts',
        find: 'explainCappedNoOp(contender, wanted) : explainCapped(contender, wanted)',
        put: 'explainCappedNoOp(contender, wanted) : explainCapped(contender, wanted).slice(1)',
      },
    ],
  },
  {
    name: 'silent-as-it-signs',
    breaks: 'shows no condition while the bid at the cap is new',
    caughtBy: 'test/domain/decide/below-base-fee.test.ts',
    expects: 'a payload gets one attempt at its cap',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: 'return [...explainBelowBaseFee(contender, situation), ',
        put: 'return [...explainBelowBaseFee(contender, situation).slice(2), ',
      },
    ],
  },
  {
    name: 'forget-the-named-tip',
    breaks: 'does not learn the tip that a pool names when it refuses less',
    expects: 'have not ended',
    edits: [
      {
        file: 'src/chain/fees/limit-tips.ts',
        find: 'floors.set(by, { tip, learnedAt: clock.elapsed() })',
        put: 'floors.set(by, { tip: 0n, learnedAt: tip < 0n ? 0 : clock.elapsed() })',
      },
    ],
  },
  {
    name: 'nothing-is-free',
    breaks: 'offers a price where gas is free, and nobody has anything to pay it with',
    with: ['freeGas'],
    expects: 'has stood still',
    edits: [
      {
        file: 'src/chain/fees/make-market.ts',
        find: 'const isFree = market.gasPrice === 0n',
        put: 'const isFree = market.gasPrice < 0n',
      },
    ],
  },
]
