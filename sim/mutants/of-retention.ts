// Mutants of retention: which rows may be removed.
import type { Mutant } from './mutant.ts'

export const ofRetention: readonly Mutant[] = [
  {
    name: 'remove-what-is-open',
    breaks: 'takes a transaction that has not ended for one that nothing needs any more',
    with: ['retention'],
    expects: 'retention may remove an open transaction',
    edits: [
      {
        file: 'src/store/transactions/prune-ended.ts',
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
    name: 'name-spenders-of-what-is-explained',
    breaks: 'names what an earlier look found, although retention may have removed its transaction since',
    with: ['retention', 'samePayloads'],
    caughtBy: 'test/chain/inclusions/check-history.test.ts',
    expects: 'what an earlier look found is not named again once it is explained',
    edits: [
      {
        file: 'src/chain/inclusions/check-history.ts',
        find: '.filter(({ nonce }) => holdsNonce(unexplained, nonce))',
        put: '',
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
  {
    name: 'archive-into-a-file-that-is-gone',
    breaks: 'deletes transactions whose lines went to a file that somebody deleted',
    caughtBy: 'test/retention/prune-transactions.test.ts',
    expects: 'a file of the archive that is moved',
    edits: [
      {
        file: 'src/retention/archive.ts',
        find: 'if (await isInPlace(opened)) return',
        put: 'if ((await isInPlace(opened)) || opened.size >= 0) return',
      },
    ],
  },
  {
    name: 'shrink-what-is-open',
    breaks: 'drops the signed bytes of a transaction that has not ended, so that nothing can broadcast it again',
    with: ['shrinking'],
    expects: 'its signed bytes were dropped',
    edits: [
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: ') = 0`',
        put: ') >= 0`',
      },
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: 't.nonce < account.spent_below AND ',
        put: '',
      },
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: "    .where('nonce', '<', p.spent)\n",
        put: '',
      },
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: 'found.find(({ open }) => open === 1)',
        put: 'found.find(({ nonce }) => nonce < 0)',
      },
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: 'open === 0 && nonce < below',
        put: 'open >= 0 && nonce < below',
      },
    ],
  },
  {
    name: 'shrink-what-no-text-comes-back-from',
    breaks:
      'stores half a signature in binary although its text had another form, so that a GET answers with another text',
    caughtBy: 'test/retention/shrink-attempts.test.ts',
    expects: 'every GET answers as before',
    edits: [
      {
        file: 'src/store/transactions/shrink-attempts.ts',
        find: "= '0x' || lower(hex(",
        put: "<> '' || lower(hex(",
      },
    ],
  },
]
