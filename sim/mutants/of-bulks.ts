// Mutants of bulk cancellations whose queue is written in portions.
import type { Mutant } from './mutant.ts'

export const ofBulks: readonly Mutant[] = [
  {
    name: 'let-an-owner-take-from-a-bulk',
    breaks: 'gives a nonce to a transaction that a bulk cancellation has taken and not written yet',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    expects: 'from the first commit on no owner sees the queue',
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
    expects: 'from the first commit on no owner sees the queue',
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
    name: 'count-what-a-bulk-took',
    breaks: 'counts a canceled queue as pending until its portions are written',
    caughtBy: 'test/commands/transactions/finish-bulks.test.ts',
    expects: 'counts and the overview take the whole queue for canceled from the first commit on',
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
    expects: 'a second DELETE in the very commit of the mark cancels what came after the first',
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
    expects: 'a DELETE that finds another mark at each try waits for all of their shares',
    edits: [
      { file: 'src/commands/transactions/finish-bulks.ts', find: 'const triesMax = 100', put: 'const triesMax = 1' },
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
        find: '{ to: instant - olderThanMs }',
        put: '{ to: instant - olderThanMs + 1_000_000 }',
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
    name: 'fill-the-gap-of-a-stopped-queue',
    breaks: 'pays a no-op for a nonce that the queue takes a moment later',
    caughtBy: 'test/domain/decide/limit-gap-fillers.test.ts',
    expects: 'a queue that a bulk cancellation has stopped',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: '  if (gapRecord.isQueueStopped) return { fill: [], hasMore: false }\n',
        put: '',
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
  {
    name: 'replay-another-request',
    breaks: 'answers a new bulk cancellation with the one of an earlier request under its key',
    caughtBy: 'test/http/bulk-cancellations/bulk-cancellations.test.ts',
    expects: 'an idempotency key is required',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/create.ts',
        find: '  checkClaim(claim, { digest, ids: [] })\n',
        put: '  checkClaim(claim, { digest: claim.digest || digest, ids: [] })\n',
      },
    ],
  },
  {
    name: 'show-the-parts-of-others',
    breaks: 'shows a key the counts of relayers that it may not see',
    caughtBy: 'test/http/bulk-cancellations/bulk-cancellations.test.ts',
    expects: 'a key cancels and sees at its relayers only',
    edits: [
      {
        file: 'src/store/transactions/bulk-rows.ts',
        find: 'all.filter(({ relayerId }) => relayers.includes(relayerId))',
        put: 'all.filter(() => relayers.length > 0)',
      },
    ],
  },
  {
    name: 'forget-the-races-of-others',
    breaks: 'does not count the matches whose race an earlier cancellation began',
    caughtBy: 'test/http/bulk-cancellations/bulk-cancellations.test.ts',
    expects: 'what an earlier one has in a race as already',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: "status === 'canceled' && phase === 'inFlight'",
        put: "status === 'canceled' && phase === 'mined'",
      },
    ],
  },
]
