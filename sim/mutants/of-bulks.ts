// Mutants of bulk cancellations.
import type { Mutant } from './mutant.ts'

export const ofBulks: readonly Mutant[] = [
  {
    name: 'leave-the-last-of-a-queue',
    breaks: 'leaves the newest of the queue, and says that it was all',
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/bulk/drop-queue.ts',
        find: 'through: last ?? given.through }',
        put: 'through: last ?? given.through - 1 }',
      },
    ],
  },
  {
    name: 'lose-the-events-of-a-queue',
    breaks: 'cancels a queue without its events',
    expects: 'ended as canceled without an event',
    edits: [
      {
        file: 'src/store/transactions/bulk/cancel-pending.ts',
        find: '  await publishDropped(executor, stop.relayerId, dropped, stop.now)\n',
        put: '',
      },
    ],
  },
  {
    name: 'widen-the-age-of-a-filter',
    breaks: 'cancels what is younger than the filter of a bulk cancellation says',
    with: ['bulkObjects'],
    expects: 'which does not match',
    edits: [
      {
        file: 'src/domain/bulk-filter.ts',
        find: 'createdTo : at - olderThanMs',
        put: 'createdTo : at - olderThanMs + 1_000_000',
      },
    ],
  },
  {
    name: 'stop-counting-at-the-instant',
    breaks: 'leaves the counts of a bulk cancellation as they were when it took a transaction',
    with: ['bulkObjects'],
    expects: 'counts',
    edits: [
      {
        file: 'src/store/transactions/written/save-transaction.ts',
        find: 'if (counts && after.bulkPart !== undefined)',
        put: 'if (counts && after.bulkPart !== undefined && before.bulkPart === undefined)',
      },
    ],
  },
  {
    name: 'end-an-object-before-its-verdicts',
    breaks: 'calls a bulk cancellation final while a race of it is on',
    with: ['bulkObjects'],
    expects: 'and says otherwise',
    edits: [
      {
        file: 'src/store/transactions/counted/bulk-sheet.ts',
        find: "state = 'written' AND unsettled + ${p.unsettled} = 0",
        put: "state = 'written' AND unsettled + ${p.unsettled} >= 0",
      },
    ],
  },
  {
    name: 'give-up-on-a-waiting-relayer',
    breaks: 'lets a relayer send on whose commit of a bulk cancellation failed once',
    caughtBy: 'test/http/bulk-cancellations/bulk-cancellations.test.ts',
    expects: 'a relayer whose commit fails waits',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/stop-relayers.ts',
        find: 'if (!(await tryAll(parts, isInTurn ? 1 : atOnce))) retries.begin()',
        put: 'await tryAll(parts, isInTurn ? 1 : atOnce)',
      },
    ],
  },
]
