// The engine as it would be if a false count of a node cost more gap fillers than the limits allow, or all of the time.
import type { Mutant } from './mutant.ts'

const ends = 'test/domain/decide/spent-and-waiting.test.ts'
const decided = 'test/domain/decide/limit-gap-fillers.test.ts'

export const ofGapFillers: readonly Mutant[] = [
  {
    name: 'gap-fillers-without-a-limit-of-the-hour',
    breaks: 'fills as many nonces that the record never assigned as a false count asks for',
    caughtBy: decided,
    expects: 'are at most 64 in an hour',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: 'Math.max(0, fillsPerHourMax - filledInHour, permitted)',
        put: 'fillsPerHourMax',
      },
    ],
  },
  {
    name: 'gap-fillers-without-a-limit-of-the-step',
    breaks: 'fills every gap in one step',
    caughtBy: decided,
    expects: 'are at most 16 in a step',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: 'if (fill.length === perStepMax) return { fill, hasMore: true }',
        put: '',
      },
    ],
  },
  {
    name: 'exempt-below-any-shown-transaction',
    breaks: 'exempts gap fillers below a transaction on record, whose nonce a false count may have bound',
    caughtBy: decided,
    expects: 'below a transaction on record are not exempt: a false count may have',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: 'return !isOnRecord && gapRecord?.released.has(shown) === false',
        put: 'return true',
      },
    ],
  },
  {
    name: 'exempt-above-the-shown-transaction',
    breaks: 'exempts gap fillers above every transaction that a pool shows',
    caughtBy: decided,
    expects: 'up to a transaction of ours that a pool shows and the record lacks',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: ' || nonce > shown) return false',
        put: ') return false',
      },
    ],
  },
  {
    name: 'believe-a-shown-transaction',
    breaks: 'exempts gap fillers below a transaction that the account never signed',
    caughtBy: 'test/chain/accounts/read-shown-nonce.unit.test.ts',
    expects: 'another key, another chain, another nonce or altered bytes prove',
    edits: [
      {
        file: 'src/chain/accounts/read-shown-nonce.ts',
        find: "(await rebuild(transaction, address)).kind === 'proven' ? nonce : undefined",
        put: 'nonce',
      },
    ],
  },
  {
    name: 'gap-fillers-on-one-count',
    breaks: 'fills nonces that a second endpoint calls spent',
    caughtBy: decided,
    expects: 'need the record first, and for nonces that it never assigned a second count',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: "if (secondCount === 'unknown' || secondCount > nonce)",
        put: "if (secondCount === 'unknown')",
      },
    ],
  },
  {
    name: 'limit-given-back-nonces',
    breaks: 'counts gap fillers for nonces that the record assigned, so that a bulk cancellation waits for an hour',
    caughtBy: decided,
    expects: 'are at most 64 in an hour',
    edits: [
      { file: 'src/domain/decide/queue/limit-gap-fillers.ts', find: 'if (released.has(nonce)) {', put: 'if (false) {' },
    ],
  },
  {
    name: 'gap-above-what-is-in-flight',
    breaks: 'takes the next free nonce for a gap, though nothing of ours waits above it',
    caughtBy: ends,
    expects: 'a queue with nothing in flight has no gap, so no pool is read for it,',
    edits: [
      {
        file: 'src/domain/decide/queue/free-nonces.ts',
        find: 'return nonce < highestWaiting(work) ? nonce : undefined',
        put: 'return nonce',
      },
    ],
  },
  {
    name: 'fill-above-what-is-in-flight',
    breaks: 'fills nonces above all that is in flight',
    caughtBy: ends,
    expects: 'has no gap, so no pool is read',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'const highest = highestWaiting(work)',
        put: 'const highest = highestWaiting(work) + 16',
      },
    ],
  },
  {
    name: 'settle-an-unspent-nonce',
    breaks: 'settles a transaction by its block alone, though the account has not spent its nonce',
    caughtBy: ends,
    expects: 'a block that stands settles no nonce that the account has not spent:',
    edits: [
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (observation.nonce <= nonce) return []\n',
        put: '',
      },
    ],
  },
  {
    name: 'bind-above-the-pool-window',
    breaks: 'binds a nonce as far above the account’s as a pool counts',
    caughtBy: decided,
    expects: 'delays the queue, and binds no nonce above the window',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'if (isBeyond) return stop(explainPoolBeyond(transaction, observation))',
        put: '',
      },
    ],
  },
  {
    name: 'walk-to-the-pool-count',
    breaks: 'walks from nonce to nonce up to a pool’s count',
    caughtBy: decided,
    expects: 'fills no gap before that, and after it as many as a step does',
    edits: [
      {
        file: 'src/domain/decide/queue/free-nonces.ts',
        find: 'if (candidate < pending) candidate = pending',
        put: "if (pending - candidate > 1_000_000) throw new Error('walks too far')",
      },
    ],
  },
  {
    name: 'reach-as-far-as-a-pool-counts',
    breaks: 'waits in the history check for nonces far above all that a lost history can have had in flight',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'a pool’s count reaches no further than the service ever has in flight',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: 'return Math.min(below, Math.max(nonce, floor.explainedBelow) + lostMax)',
        put: 'return below',
      },
    ],
  },
  {
    name: 'believe-a-count-that-jumps',
    breaks: 'binds nonces from a count on that no second reading repeats',
    caughtBy: 'test/chain/accounts/second-count.unit.test.ts',
    expects: 'another endpoint gives the second count',
    edits: [
      {
        file: 'src/chain/accounts/second-count.ts',
        find: 'return Math.min(count, other)',
        put: 'return Math.max(count, other)',
      },
    ],
  },
  {
    name: 'one-count-of-the-only-endpoint',
    breaks: 'takes one count of the only endpoint for the second one',
    caughtBy: 'test/chain/accounts/second-count.unit.test.ts',
    expects: 'the only endpoint gives it after three counts at different heads',
    edits: [
      { file: 'src/chain/accounts/second-count.ts', find: 'const readingsNeeded = 3', put: 'const readingsNeeded = 1' },
    ],
  },
  {
    name: 'l1-fee-stays-in-the-wallet',
    breaks: 'does not take the L1 fee of a bound transaction off the wallet for the next in the queue',
    caughtBy: 'test/domain/decide/l1-fee.test.ts',
    expects: 'two of the queue get nonces only if the balance covers the fee for L1 of both',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'wallet -= upfrontCost(value + l1FeeOf(transaction.payload, market), offer.gasLimit, offer.fees)',
        put: 'wallet -= upfrontCost(value, offer.gasLimit, offer.fees)',
      },
    ],
  },
]
