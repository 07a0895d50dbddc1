// The engine as it would be if blocks alone were taken for time, or time alone for blocks.
import type { Mutant } from './mutant.ts'

export const ofPatience: readonly Mutant[] = [
  {
    name: 'foreign-patience-in-blocks-only',
    breaks:
      'takes the nonce of a foreign transaction, which may be our own lost payment, after some seconds of short blocks',
    caughtBy: 'test/domain/decide/rules/foreign-nonces.test.ts',
    expects: 'on a fast chain, before 24 s have passed',
    edits: [{ file: 'src/domain/decide/rules/foreign-nonces.ts', find: 'ms: 8 * bumpAfter.ms }', put: 'ms: 0 }' }],
  },
  {
    name: 'unexplained-patience-in-blocks-only',
    breaks: 'fills the nonce of a payment that a restore lost, while a pool still holds it',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'what waits in a pool has its time',
    edits: [
      {
        file: 'src/domain/decide/lost-history/search.ts',
        find: 'isOver(foreignPatience(policy), since,',
        put: 'isOver({ ...foreignPatience(policy), ms: 0 }, since,',
      },
    ],
  },
  {
    name: 'tip-in-blocks-only',
    breaks: 'raises a tip after some seconds of short blocks',
    caughtBy: 'test/domain/decide/rules/raised-tip.test.ts',
    expects: '60 blocks within less than 24 s',
    edits: [{ file: 'src/domain/decide/rules/raised-tip.ts', find: 'ms: 8 * bumpAfter.ms }', put: 'ms: 0 }' }],
  },
]
