// Mutants of bulk cancellations whose queue is written in portions.
import type { Mutant } from './mutant.ts'

export const ofBulks: readonly Mutant[] = [
  {
    name: 'forget-a-bulk-in-a-crash',
    breaks: 'leaves a bulk cancellation unfinished after a crash between two portions',
    with: ['bulkShares'],
    expects: 'came between the portions of a bulk',
    edits: [
      {
        file: 'src/commands/transactions/finish-bulks.ts',
        find: 'of await store.reads.bulksUnderWay()) finish',
        put: 'of (await store.reads.bulksUnderWay()).slice(0, 0)) finish',
      },
    ],
  },
  {
    name: 'let-requests-pass-a-bulk',
    breaks: 'answers a client from between the portions of a bulk cancellation',
    with: ['bulkShares'],
    expects: 'came between the portions of a bulk',
    edits: [
      {
        file: 'src/commands/transactions/finish-bulks.ts',
        find: '        await underWay(relayer)\n',
        put: '',
      },
    ],
  },
  {
    name: 'end-a-bulk-with-its-first-share',
    breaks: 'takes back one portion of the queue, and says that it was all',
    with: ['bulkShares'],
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'const next = last === undefined ?',
        put: 'const next = last !== null ?',
      },
    ],
  },
  {
    name: 'lose-the-events-of-a-share',
    breaks: 'writes a portion of a canceled queue without its events',
    with: ['bulkShares'],
    expects: 'ended as canceled without an event',
    edits: [
      {
        file: 'src/store/transactions/drop-queue.ts',
        find: '    await executor.all(publishDrops[kind], drop)\n',
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
    name: 'count-a-dropped-one-twice',
    breaks: 'counts one transaction too many where a bulk cancellation drops a queue',
    with: ['bulkObjects'],
    expects: 'its rows are',
    edits: [
      {
        file: 'src/store/transactions/drop-queue.ts',
        find: 'dropped: rows.length, safe',
        put: 'dropped: rows.length + 1, safe',
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
        file: 'src/store/transactions/save-transaction.ts',
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
        file: 'src/store/transactions/bulk-sheet.ts',
        find: "state = 'written' AND unsettled + ${p.unsettled} = 0",
        put: "state = 'written' AND unsettled + ${p.unsettled} >= 0",
      },
    ],
  },
  {
    name: 'leave-the-last-of-a-filter',
    breaks: 'decides one transaction less than waits, and ends a bulk cancellation with a filter',
    with: ['bulkObjects', 'bulkShares'],
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'const through = last ?? mark.through\n',
        put: 'const through = last ?? mark.through - (takesEverything(head) ? 0 : 1)\n',
      },
    ],
  },
  {
    name: 'bind-what-a-filter-may-take',
    breaks: 'gives nonces to a queue of which a bulk cancellation with a filter has not decided all',
    caughtBy: 'test/commands/bulk-cancellations/filtered-shares.test.ts',
    expects: 'while shares are written',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'blockedThrough: all ? through : Number.MAX_SAFE_INTEGER',
        put: 'blockedThrough: all ? through : 0',
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
