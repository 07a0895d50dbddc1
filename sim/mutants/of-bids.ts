// The engine broken in what it bids: relayers that freeze, that bid against themselves, or that never learn what a chain takes.
import type { Mutant } from './mutant.ts'

export const ofBids: readonly Mutant[] = [
  {
    name: 'rejected-sets-the-floor',
    breaks: 'outbids what every node rejected, and so never comes down from a spike',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'after a spike',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'return known.filter((attempt) => !wasAlwaysRejected(attempt) && !isOut(attempt))',
        put: 'return known.filter((attempt) => !isOut(attempt))',
      },
    ],
  },
  {
    name: 'no-limit-on-escalation',
    breaks: 'goes on outbidding itself where nothing of ours is mined',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'ends at the multiple of the market, for sends and for no-ops',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'const limited = isFirst || isBelowNextBaseFee',
        put: 'const limited = !isFirst || isFirst || isBelowNextBaseFee',
      },
    ],
  },
  {
    name: 'limit-the-cap-only',
    breaks: 'goes on outbidding itself with tips, which a cap of two base fees leaves room for',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'ends at the multiple of the market’s price',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'effectivePrice(fees, baseFee) > escalationMultiple * effectivePrice(reference, baseFee)',
        put: 'effectivePrice(fees, baseFee) < escalationMultiple * 0n',
      },
    ],
  },
  {
    name: 'spend-the-balance-twice',
    breaks: 'raises each price of a step as if it were the only one',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'costs no more than the balance covers: the lowest nonce is raised',
    edits: [
      { file: 'src/domain/decide/follow-up.ts', find: 'unsignedCost += added', put: 'unsignedCost += 0n * added' },
    ],
  },
  {
    name: 'limit-the-floor-only',
    breaks: 'outbids itself at the lowest price within the limit, and lifts the cap that held its tip down',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'ends at the multiple of the market’s price',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'return isBeyond(offer, reference, market) ? floor : offer',
        put: 'return offer',
      },
    ],
  },
  {
    name: 'limit-what-no-pool-has',
    breaks: 'takes a no-op that no node took for the first bid, and signs none with the gas that it lacked',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'does not end for a no-op with more gas, where no node took the first',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: '!own.some((attempt) => rivals.includes(attempt)) || refused',
        put: 'latest === undefined || refused',
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
        file: 'src/domain/decide/race/bid.ts',
        find: 'minWei(escalationMultiple * paid, smallTip)',
        put: 'maxWei(escalationMultiple * paid, smallTip)',
      },
    ],
  },
  {
    name: 'never-raise-a-tip',
    breaks: 'waits for ever with a tip that no builder takes, and none refuses',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'is raised within 20 blocks, once, to the price that the network takes',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'if (lifecycle.nonce !== nonce || !hasWaited ||',
        put: 'if (lifecycle.nonce !== nonce || hasWaited || !hasWaited ||',
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
    name: 'escalate-on-an-empty-chain',
    breaks: 'bids more where blocks hold nothing at all',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'does not begin where blocks hold nothing at all',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: 'if (market?.blocks?.areUsed === false) return undefined',
        put: '',
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
  {
    name: 'bid-beyond-the-balance',
    breaks: 'signs a bump that the account can not pay for',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'is not signed, and its reason says so',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'return funds === undefined ? undefined :',
        put: 'return funds !== null ? undefined :',
      },
    ],
  },
]
