// The engine as it would be if a false count of a node cost more gap fillers than the limits allow, or all of the time.
import type { Mutant } from './mutant.ts'

const decided = 'test/domain/decide/rules/gap-fillers.test.ts'

export const ofGapFillers: readonly Mutant[] = [
  {
    name: 'gap-fillers-without-a-limit-of-the-hour',
    breaks: 'fills as many nonces that the record never assigned as a false count asks for',
    caughtBy: decided,
    expects: 'are at most 64 in an hour',
    edits: [
      {
        file: 'src/domain/decide/rules/gap-fillers.ts',
        find: 'Math.max(0, fillsPerHourMax - filledInHour, permitted)',
        put: 'fillsPerHourMax',
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
        file: 'src/domain/decide/rules/gap-fillers.ts',
        find: "if (secondCount === 'unknown' || secondCount > nonce)",
        put: "if (secondCount === 'unknown')",
      },
    ],
  },
  {
    name: 'settle-an-unspent-nonce',
    breaks: 'settles a transaction by its block alone, though the account has not spent its nonce',
    caughtBy: 'test/domain/decide/spent-and-waiting.test.ts',
    expects: 'a block that stands settles no nonce that the account has not spent:',
    edits: [
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (observation.nonce <= nonce) return []\n',
        put: '',
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
]
