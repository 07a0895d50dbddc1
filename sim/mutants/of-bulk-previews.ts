// Mutants of previews of bulk cancellations: what their tokens bound.
import type { Mutant } from './mutant.ts'

export const ofBulkPreviews: readonly Mutant[] = [
  {
    name: 'take-what-came-since-a-preview',
    breaks: 'takes what has no nonce and matches, whether the preview showed it or not',
    with: ['bulkPreviews'],
    expects: 'which its preview did not show',
    edits: [
      {
        file: 'src/store/transactions/drop-queue.ts',
        find: '.filter((sequence) => shown.has(sequence))',
        put: '.filter((sequence) => sequence >= 0 || shown.has(sequence))',
      },
    ],
  },
  {
    name: 'race-what-no-preview-showed',
    breaks: 'takes what has a nonce and matches, whether the preview showed it or not',
    with: ['bulkPreviews'],
    expects: 'which its preview did not show',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'if (shown && !shown.set.has(before.sequence)) {',
        put: 'if (shown && !shown.set.has(before.sequence) && row.status === (before.id as string)) {',
      },
    ],
  },
  {
    name: 'one-no-op-beyond-the-preview',
    breaks: 'takes one more that needs a no-op than the preview showed',
    with: ['bulkPreviews'],
    expects: 'no-ops, and its preview showed',
    edits: [
      {
        file: 'src/domain/decide/choose-within.ts',
        find: 'if (noOps >= shown.noOps)',
        put: 'if (noOps > shown.noOps)',
      },
    ],
  },
  {
    name: 'spend-the-room-for-each',
    breaks: 'gives each no-op all of the room that the preview left for a rising price',
    with: ['bulkPreviews'],
    expects: 'and its preview showed',
    edits: [
      {
        file: 'src/domain/decide/choose-within.ts',
        find: '(costMax - spent) / BigInt(races)',
        put: '(costMax - spent) * BigInt(races)',
      },
    ],
  },
  {
    name: 'leave-what-a-preview-showed',
    breaks: 'leaves every second one without a nonce that the preview showed',
    with: ['bulkPreviews'],
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/drop-queue.ts',
        find: '.filter((sequence) => shown.has(sequence))',
        put: '.filter((sequence) => shown.has(sequence) && sequence % 2 === 0)',
      },
    ],
  },
  {
    name: 'report-the-ended-as-taken',
    breaks: 'reports that none had ended of those that the preview showed',
    with: ['bulkPreviews'],
    expects: 'of those shown had ended',
    edits: [
      {
        file: 'src/domain/bulk-counts.ts',
        find: 'return Math.max(0, shown.matches',
        put: 'return Math.min(0, shown.matches',
      },
    ],
  },
]
