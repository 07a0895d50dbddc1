// Mutants of restored copies and the history that they have lost, and of the rows that retention removes.
import type { Mutant } from './mutant.ts'

export const ofRestores: readonly Mutant[] = [
  {
    name: 'trust-a-restored-copy',
    breaks: 'sends what waits in the queue, whatever a lost part of its history may have sent',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'nothing as old as the owner gets a nonce, and the queue says why',
    edits: [
      {
        file: 'src/domain/decide/lost-history/check-history.ts',
        find: '  if (first === undefined || last === undefined) return nothing\n',
        put: '  if (first === undefined || last === undefined || last >= 0) return nothing\n',
      },
    ],
  },
  {
    name: 'forget-what-a-foreign-transaction-overtook',
    breaks:
      'completes a history check while a transaction that the lost history may have sent again is not in the queue',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'overtook is back in the queue',
    edits: [
      {
        file: 'src/domain/decide/lost-history/check-history.ts',
        find: 'mayReturn(each, lostHistory.through, at.nonce)',
        put: 'mayReturn(each, -1, at.nonce)',
      },
    ],
  },
  {
    name: 'forget-what-waits-in-the-pools',
    breaks: 'looks at what a lost history had mined, and not at what still waits in a pool',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'nothing as old as the owner gets a nonce, and the queue says why',
    edits: [
      {
        file: 'src/domain/decide/lost-history/check-history.ts',
        find: 'intervalsBetween(work.floor.explainedBelow, below, explained)',
        put: 'intervalsBetween(work.floor.explainedBelow, Math.min(below, at.nonce), explained)',
      },
    ],
  },
  {
    name: 'search-back-by-configured-time',
    breaks: 'makes a count of blocks of the time that it looks back, by the configured block time',
    caughtBy: 'test/chain/inclusions/check-history.test.ts',
    expects: 'nonces spent since are searched from then on',
    edits: [
      {
        file: 'src/chain/inclusions/check-history.ts',
        find: 'const above = await startOf(search, inquiry.since, at)',
        put: 'const above: BlockNumber | undefined = Math.max(-1, at.head.number - 2 * Math.ceil((at.head.timestampMs - inquiry.since) / pace.ms()))',
      },
      {
        file: 'src/chain/heads/measure-blocktime.ts',
        find: 'ms: () => measured ?? configuredMs',
        put: 'ms: () => configuredMs',
      },
    ],
  },
  {
    name: 'forget-what-ended-since-a-restore',
    breaks: 'takes the only one left for what a no-op canceled, although its client canceled another meanwhile',
    caughtBy: 'test/engine/lost-history.test.ts',
    expects: 'one of two that its client cancels before the search ends',
    edits: [
      { file: 'src/domain/decide/lost-history/lost-cancellation.ts', find: ' && !ended.some(isWithin)', put: '' },
    ],
  },
  {
    name: 'trust-a-nonce-on-record',
    breaks:
      'takes the transaction that holds the nonce in a copy for what the no-op canceled, though no node ever accepted it',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'is not of a transaction that no node ever accepted',
    edits: [
      {
        file: 'src/domain/decide/lost-history/lost-cancellation.ts',
        find: 'cancellation !== undefined || lifecycle.attempts.some(wasTaken)',
        put: 'cancellation !== undefined || lifecycle.attempts.length > 0',
      },
    ],
  },
  {
    name: 'forget-when-the-restored-copy-began',
    breaks: 'takes a transaction of its own time for one that a no-op of the lost history canceled',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'none is certain, where it was sent after the first owner since the restore began',
    edits: [
      {
        file: 'src/domain/decide/lost-history/lost-cancellation.ts',
        find: ' || transaction.sequence > uncheckedThrough',
        put: '',
      },
    ],
  },
  {
    name: 'count-new-ones-as-explanations',
    breaks: 'ends a history check while a lost no-op competes with a new transaction for its nonce',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'stays while a newer transaction, or a gap filler',
    edits: [
      {
        file: 'src/domain/decide/lost-history/check-history.ts',
        find: 'explainedNonces(work, nonce, work.uncheckedThrough)',
        put: 'explainedNonces(work, nonce, Number.POSITIVE_INFINITY)',
      },
    ],
  },
  {
    name: 'take-our-no-op-for-a-foreign-one',
    breaks: 'sends a payload again that a no-op canceled for good, as the record of that was lost',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'to the relayer itself, without value, data or access list',
    edits: [
      {
        file: 'src/domain/decide/lost-history/lost-cancellation.ts',
        find: "  return signed.value === 0n && signed.data === '0x'",
        put: "  return signed.value < 0n && signed.data === '0x'",
      },
    ],
  },
  {
    name: 'send-what-may-be-canceled',
    breaks: 'sends all of the transactions of which a lost no-op canceled one, where it can not tell which',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'none is certain',
    edits: [
      {
        file: 'src/domain/decide/lost-history/lost-cancellation.ts',
        find: 'suspected.push(each)',
        put: 'void each',
      },
    ],
  },
  {
    name: 'match-above-an-unknown-spender',
    breaks:
      'takes the only one left in the queue for canceled, though a lost PUT may have given it the nonce of an unknown spender',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'none is certain, where an unknown transaction took a lower nonce',
    edits: [
      {
        file: 'src/domain/decide/lost-history/lost-cancellation.ts',
        find: 'passed !== undefined && isPaired',
        put: 'isPaired',
      },
    ],
  },
  {
    name: 'remove-what-is-open',
    breaks: 'takes a transaction that has not ended for one that nothing needs any more',
    with: ['retention'],
    expects: 'retention may remove an open transaction',
    edits: [
      {
        file: 'src/store/transactions/written/prune-ended.ts',
        find: 'open === 0 &&',
        put: 'open >= 0 &&',
      },
    ],
  },
  {
    name: 'remove-what-is-not-explained',
    breaks: 'removes a final transaction although a history check still reads about its nonce',
    with: ['retention', 'anyRestores'],
    expects: 'rows that retention may remove, hasAttempt is',
    edits: [
      {
        file: 'src/domain/removable.ts',
        find: 'return nonce < explainedBelow && nonce !== highestNonce',
        put: 'return explainedBelow >= 0 && nonce !== highestNonce',
      },
    ],
  },
  {
    name: 'remove-what-a-no-op-may-have-canceled',
    breaks: 'removes what ended without a nonce while a history check compares it with the no-ops of a lost history',
    with: ['retention', 'anyRestores'],
    expects: 'rows that retention may remove, droppedSince is',
    edits: [
      {
        file: 'src/domain/removable.ts',
        find: 'if (nonce === undefined) return isChecked',
        put: 'if (nonce === undefined) return isChecked || !hasDelivery',
      },
    ],
  },
  {
    name: 'remove-the-newest-nonce',
    breaks: 'removes the transaction with the newest nonce of a relayer',
    caughtBy: 'test/domain/removable.test.ts',
    expects: 'the newest nonce',
    edits: [
      {
        file: 'src/domain/removable.ts',
        find: 'return nonce < explainedBelow && nonce !== highestNonce',
        put: 'return nonce < explainedBelow && highestNonce !== -1',
      },
    ],
  },
]
