// Mutants of the events of relayers: which conditions begin and end, and that each does once.
import type { Mutant } from './mutant.ts'

const caughtBy = 'test/domain/attention.test.ts'

export const ofAttention: readonly Mutant[] = [
  {
    name: 'attention-anew-with-each-report',
    breaks: 'makes the events of a relayer without those that were made before',
    with: ['surveys'],
    expects: 'without an event',
    edits: [
      {
        file: 'src/store/reports/owner-reports.ts',
        find: 'const before = locked.attention === null ? [] : fromJson(locked.attention)',
        put: 'const before: Attention = []',
      },
    ],
  },
  {
    name: 'attention-at-each-beginning',
    breaks: 'lets a condition begin as often as it holds for a minute',
    caughtBy,
    expects: 'begins at most once in ten minutes',
    edits: [
      {
        file: 'src/domain/attention.ts',
        find: 'const beginsEveryMs = 600_000',
        put: 'const beginsEveryMs = 60_000',
      },
    ],
  },
  {
    name: 'attention-to-the-acknowledged',
    breaks: 'makes an event of a condition that an operator has acknowledged',
    caughtBy,
    expects: 'does not begin',
    edits: [{ file: 'src/domain/attention.ts', find: '!isAcknowledged && !isOpenIn', put: '!isOpenIn' }],
  },
]
