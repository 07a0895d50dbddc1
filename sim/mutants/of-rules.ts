// Rules that stand once, broken: the fixed answers of a cancel, its refusals, and who a bulk cancellation takes.
import type { Mutant } from './mutant.ts'

export const ofRules: readonly Mutant[] = [
  {
    name: 'own-words-for-a-refused-cancel',
    breaks: 'answers a 400 of a cancel operation with its own message, although the interface fixes the text',
    caughtBy: 'test/http/server/fixed-answers.unit.test.ts',
    expects: 'with Bad Request',
    edits: [
      {
        file: 'src/http/server/errors.ts',
        find: 'if (status === 400) return { status, text: badRequestText }',
        put: "if (code === 'TRANSACTION_ALREADY_MINED') return { status, text: badRequestText }",
      },
    ],
  },
  {
    name: 'take-what-a-cancel-refuses',
    breaks: 'tries in bulk what a cancel refuses, and reports it as failed',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'is taken by no bulk',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: '({ status }: BoundRow) => bulkStatuses.includes(status)',
        put: "({ status }: BoundRow) => bulkStatuses.includes(status) || status !== 'canceled'",
      },
    ],
  },
  {
    name: 'report-windows-to-the-first-listener',
    breaks: 'reports the window of a relayer to one listener, so that metrics and previews disagree',
    caughtBy: 'test/domain/relayer-observer.test.ts',
    expects: 'each report reaches all listeners',
    edits: [
      {
        file: 'src/domain/relayer-observer.ts',
        find: 'for (const each of listeners) each.window(id, size)',
        put: 'listeners[0]?.window(id, size)',
      },
    ],
  },
]
