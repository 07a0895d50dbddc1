// Mutants of retention: which rows may be removed.
import type { Mutant } from './mutants.ts'

export const ofRetention: readonly Mutant[] = [
  {
    name: 'remove-what-is-open',
    breaks: 'takes a transaction that has not ended for one that nothing needs any more',
    with: ['retention'],
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
    edits: [
      {
        file: 'src/domain/removable.ts',
        find: 'return nonce < explainedBelow && nonce !== highestNonce',
        put: 'return nonce < explainedBelow && highestNonce !== -1',
      },
    ],
  },
]
