// Mutants of previews of bulk cancellations, and of the requests that follow them.
import type { Mutant } from './mutant.ts'

export const ofBulkPreviews: readonly Mutant[] = [
  {
    name: 'cancel-more-than-at-most',
    breaks: 'cancels what a filter matches, however many it may be at most',
    with: ['bulkPreviews'],
    expects: 'that were there before, beyond its',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/create.ts',
        find: 'if (count > atMost) throw',
        put: 'if (count < 0) throw',
      },
    ],
  },
  {
    name: 'take-what-came-since-a-preview',
    breaks: 'takes transactions without a nonce, whether they were created in time or not',
    with: ['bulkPreviews'],
    expects: 'which does not match',
    edits: [
      {
        file: 'src/domain/bulk-filter.ts',
        find: 'const to = olderThanMs === undefined ? createdTo : at - olderThanMs',
        put: 'const to = olderThanMs === undefined ? undefined : at - olderThanMs',
      },
    ],
  },
]
