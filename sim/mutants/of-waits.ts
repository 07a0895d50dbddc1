// Mutants that lose the reason for a wait, or the history of a transaction.
import type { Mutant } from './mutants.ts'

export const ofWaits: readonly Mutant[] = [
  {
    name: 'waits-for-ever',
    breaks: 'says that a transaction waits long after what it waited for is over',
    caughtBy: 'test/domain/decide/reasons.test.ts',
    edits: [
      {
        file: 'src/domain/decide/explain-waits.ts',
        find: '.filter(({ id, wait }) => wait && !touched.has(id))',
        put: '.filter(({ id, wait }) => wait && touched.has(id) && !touched.has(id))',
      },
    ],
  },
  {
    name: 'ends-and-still-waits',
    breaks: 'says that a transaction waits which was dropped',
    caughtBy: 'test/domain/decide/reasons.test.ts',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: "{ ...withoutWait(transaction), lifecycle: { phase: 'dropped'",
        put: "{ ...transaction, lifecycle: { phase: 'dropped'",
      },
    ],
  },
  {
    name: 'mined-and-still-waits',
    breaks: 'keeps the wait of a transaction to which something happened',
    edits: [
      {
        file: 'src/domain/decide/settle.ts',
        find: 'const { statusReason: _, ...rest } = withoutWait(transaction)',
        put: 'const { statusReason: _, ...rest } = transaction',
      },
    ],
  },
  {
    name: 'event-for-each-figure',
    breaks: 'tells clients anew of a wait whenever a figure of it changes',
    caughtBy: 'test/domain/event.test.ts',
    edits: [
      {
        file: 'src/domain/event.ts',
        find: 'wait.condition !== before.wait?.condition',
        put: 'wait.text !== before.wait?.text',
      },
    ],
  },
  {
    name: 'recovered-is-forgotten',
    breaks: 'does not keep that an attempt was rebuilt from the chain',
    caughtBy: 'test/store/sqlite.test.ts',
    edits: [
      {
        file: 'src/store/transactions/attempt-row.ts',
        find: 'recovered: attempt.recovered ? 1 : 0',
        put: 'recovered: 0',
      },
    ],
  },
  {
    name: 'replaced-is-forgotten',
    breaks: 'does not keep what a payload has replaced',
    edits: [
      {
        file: 'src/store/transactions/replace.ts',
        find: 'earlier: earlierToRow(earlier), valid_until',
        put: 'earlier: earlierToRow(undefined), valid_until',
      },
    ],
  },
  {
    name: 'forget-what-came-due',
    breaks: 'waits for a block with a retry that came due between the decision and the end of the step',
    caughtBy: 'test/engine/gap-fillers.test.ts',
    edits: [
      {
        file: 'src/engine/again-after.ts',
        find: 'nextRefusedRetry(work, repeats, decidedAt)',
        put: 'nextRefusedRetry(work, repeats, now)',
      },
    ],
  },
  {
    name: 'keep-what-was-read-first',
    breaks: 'decides about a transaction as it was when a step first read it',
    edits: [
      {
        file: 'src/store/transactions/read-changed.ts',
        find: 'known.get(id)?.version !== version',
        put: '!known.has(id)',
      },
    ],
  },
]
