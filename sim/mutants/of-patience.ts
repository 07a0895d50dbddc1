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
    name: 'foreign-patience-for-all-nonces-at-once',
    breaks: 'takes the nonce of a payment that a restore lost as soon as ours below it have waited',
    caughtBy: 'test/domain/decide/rules/foreign-nonces.test.ts',
    expects: 'those above ours, however long ours below them has waited',
    edits: [
      {
        file: 'src/domain/decide/rules/foreign-nonces.ts',
        find: 'Math.max(0, ...behind.map(({ lifecycle }) => lifecycle.nonce))',
        put: 'behind.length > 0 ? Number.POSITIVE_INFINITY : 0',
      },
    ],
  },
  {
    name: 'foreign-patience-since-before-a-restore',
    breaks: 'takes the nonce of a lost payment below ours of long ago as soon as a pool shows it',
    caughtBy: 'test/domain/decide/rules/foreign-nonces.test.ts',
    expects: 'however long ago ours was signed, they have their time in each process',
    edits: [
      {
        file: 'src/domain/decide/rules/foreign-nonces.ts',
        find: 'Math.min(behindLong, countedLong)',
        put: 'behindLong',
      },
    ],
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
  {
    name: 'given-up-in-blocks-only',
    breaks: 'gives a payload up that nodes call invalid for less than a second of short blocks',
    caughtBy: 'test/chain/sending/remember-refusals.unit.test.ts',
    expects: 'but not within 4 s, however many blocks a fast chain makes',
    edits: [
      {
        file: 'src/chain/sending/remember-refusals.ts',
        find: 'refusalsApart: Patience = { blocks: 2, ms: 4_000 }',
        put: 'refusalsApart: Patience = { blocks: 2, ms: 0 }',
      },
    ],
  },
  {
    name: 'falls-in-blocks-only',
    breaks: 'takes a backend that lags behind one URL for a reorganization, on a fast chain',
    caughtBy: 'test/chain/heads/believe-head.unit.test.ts',
    expects: 'two block times and 4 s after the first',
    edits: [
      {
        file: 'src/chain/heads/believe-head.ts',
        find: 'confirmedFall: Patience = { blocks: 2, ms: 4_000 }',
        put: 'confirmedFall: Patience = { blocks: 2, ms: 0 }',
      },
    ],
  },
  {
    name: 'a-late-answer-lengthens-a-fall',
    breaks: 'takes a backend that lags for a reorganization, as one answer was long on its way',
    caughtBy: 'test/chain/heads/believe-head.unit.test.ts',
    expects: 'an answer that was long on its way shows no longer fall',
    edits: [
      {
        file: 'src/chain/heads/believe-head.ts',
        find: 'lastedMs = at.begunMs - counted.since',
        put: 'lastedMs = at.endedMs - counted.since',
      },
    ],
  },
  {
    name: 'receipt-awaited-since-the-block-alone',
    breaks: 'takes a block for the receipt before a node had a minute to index it, on a fast chain',
    caughtBy: 'test/chain/inclusions/unexplained.unit.test.ts',
    expects: 'a receipt is awaited for both its blocks and its time',
    edits: [
      {
        file: 'src/chain/inclusions/unexplained.ts',
        find: 'isOver(patience, { block, ms: since.ms }, { block: head, ms: elapsed() })',
        put: 'isOver({ ...patience, ms: 0 }, { block, ms: since.ms }, { block: head, ms: elapsed() })',
      },
    ],
  },
  {
    name: 'signed-group-ignores-foreign',
    breaks:
      'lets signed bytes leave at a nonce for which a pool counted a foreign transaction while they waited for answers',
    caughtBy: 'test/engine/queue-goes-on.test.ts',
    expects: 'leaves a nonce to a foreign transaction that a newer look counts',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: ' || (left !== undefined && holdsNonce([left], nonce))',
        put: '',
      },
    ],
  },
  {
    name: 'signed-group-by-an-old-window',
    breaks: 'brings a signed group into flight although the window fell while it waited for answers',
    caughtBy: 'test/engine/queue-goes-on.test.ts',
    expects: 'no more into flight than the newest window allows',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: 'roomOnArrival(work, seen ?? { nonce: 0 }',
        put: 'roomOnArrival({ ...work, window: 64 }, seen ?? { nonce: 0 }',
      },
    ],
  },
]
