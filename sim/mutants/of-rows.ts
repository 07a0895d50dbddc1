// Mutants of rows, events, and reads of the store.
import type { Mutant } from './mutant.ts'

export const ofRows: readonly Mutant[] = [
  {
    name: 'overwrite-an-end',
    breaks: 'lets a DELETE change what has ended',
    expects: 'had ended as',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: 'const byStatus: Refusals = cancelRefusals',
        put: 'const byStatus: Refusals = { mined: cancelRefusals.mined }',
      },
      {
        file: 'src/store/transactions/written/save-transaction.ts',
        find: "...set(p), version: sql<number>`version + 1` })\n      .where('id', '=', p.id)\n      .where('version', '=', p.version)\n      .where('open', '=', 1)",
        put: "...set(p), version: sql<number>`version + 1` })\n      .where('id', '=', p.id)\n      .where('version', '=', p.version)",
      },
    ],
  },
  {
    name: 'forget-an-earlier-binding',
    breaks: 'goes on without the attempts of an earlier binding to the same nonce',
    caughtBy: 'test/engine/step.test.ts',
    expects: 'an owner keeps its own writes as a read would find them',
    edits: [
      {
        file: 'src/store/transactions/written/save-transaction.ts',
        find: 'const isBoundAgain = before.sentAt !== undefined &&',
        put: 'const isBoundAgain = before.sentAt === undefined &&',
      },
    ],
  },
  {
    name: 'keep-what-was-read-before',
    breaks: 'takes a transaction as the step read it, although a client has changed it since',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/store/transactions/rows/find-transaction.ts',
        find: 'return row?.version === version ? known',
        put: 'return row !== undefined && version > 0 ? known',
      },
    ],
  },
  {
    name: 'lose-the-event',
    breaks: 'changes the row of what is dropped without an event for it',
    expects: 'without an event',
    edits: [
      {
        file: 'src/store/transactions/written/save-transaction.ts',
        find: 'of eventsOf(before, after)) await publishEvent',
        put: "of eventsOf(before, after)) if (after.lifecycle.phase !== 'dropped') await publishEvent",
      },
    ],
  },
  {
    name: 'forget-the-race-in-bulk',
    breaks: 'takes back only the queue when everything pending is deleted, and says it took all',
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/bulk/cancel-pending.ts',
        find: '        await saveTransaction(executor, tallies, before, after, now)\n',
        put: '',
      },
    ],
  },
  {
    name: 'keep-the-bytes-of-a-bulk',
    breaks: 'counts the payloads of a queue that was canceled whole as pending, until no send is taken',
    expects: 'bytes: the tally says',
    edits: [
      {
        file: 'src/store/transactions/bulk/drop-queue.ts',
        find: 'sum - bytes, 0)',
        put: 'sum - 0 * bytes, 0)',
      },
    ],
  },
  {
    name: 'remember-what-is-undone',
    breaks: 'answers the units of a commit from a row that a failed unit of it had changed',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'a unit that fails after it changed a relayer and sent leaves nothing of it to',
    edits: [
      {
        file: 'src/store/sqlite/remember-relayers.ts',
        find: 'for (const id of fresh.keys()) remembered.delete(id)',
        put: '',
      },
    ],
  },
]
