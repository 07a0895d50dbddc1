// Mutants of bulk cancellations whose queue is written in shares.
import type { Mutant } from './mutants.ts'

export const ofBulks: readonly Mutant[] = [
  {
    name: 'let-an-owner-take-from-a-bulk',
    breaks: 'gives a nonce to a transaction that a bulk cancellation has taken and not written yet',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    edits: [
      {
        file: 'src/store/transactions/bulk-mark.ts',
        find: '(transactions.status NOT IN (${queued}) OR',
        put: "(transactions.status <> '' OR",
      },
    ],
  },
  {
    name: 'read-what-a-bulk-took',
    breaks: 'decides about the queue that a bulk cancellation has taken, over and over',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    edits: [
      {
        file: 'src/store/transactions/bulk-mark.ts',
        find: 'sql<boolean>`transactions.sequence > ${taken',
        put: 'sql<boolean>`transactions.sequence + 1000000 > ${taken',
      },
    ],
  },
  {
    name: 'forget-a-bulk-in-a-crash',
    breaks: 'leaves a bulk cancellation unfinished after a crash between two shares',
    with: ['bulkShares'],
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
    breaks: 'answers a client from between the shares of a bulk cancellation',
    with: ['bulkShares'],
    expects: 'came between the shares of a bulk',
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
    breaks: 'takes back one share of the queue, and says that it was all',
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
    breaks: 'writes a share of a canceled queue without its events',
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
    name: 'count-what-a-bulk-took',
    breaks: 'counts a canceled queue as pending until its shares are written',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    edits: [
      {
        file: 'src/store/transactions/tallies.ts',
        find: 'counts[status] += count - (taken ?? 0)',
        put: 'counts[status] += count - Math.min(0, taken ?? 0)',
      },
    ],
  },
  {
    name: 'cancel-a-queue-twice',
    breaks: 'takes a second bulk cancellation in the commit of a mark for a part of the first',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'if (await findBulkMark(executor, relayerId)) {',
        put: 'if ((await findBulkMark(executor, relayerId))?.through === -1) {',
      },
    ],
  },
  {
    name: 'try-a-marked-queue-once',
    breaks: 'answers a DELETE with an error where bulk cancellations of others came first, twice',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    edits: [
      { file: 'src/commands/transactions/finish-bulks.ts', find: 'const triesMax = 100', put: 'const triesMax = 1' },
    ],
  },
]
