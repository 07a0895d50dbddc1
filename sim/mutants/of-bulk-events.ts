// Mutants of the events of bulk cancellations.
import type { Mutant } from './mutant.ts'

export const ofBulkEvents: readonly Mutant[] = [
  {
    name: 'announce-an-end-too-early',
    breaks: 'says that a bulk cancellation is final once it is written, while its races are on',
    with: ['bulkObjects'],
    expects: 'is said to be final',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'if (finalAt !== undefined) return final\n',
        put: "if (finalAt !== undefined || state === 'written') return final\n",
      },
    ],
  },
  {
    name: 'announce-an-end-twice',
    breaks: 'forgets which relayers of a bulk cancellation its events have called final',
    with: ['bulkObjects'],
    expects: 'event after its final one',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'return before !== final && before !== appearanceOf(part)',
        put: 'return before === final || before !== appearanceOf(part)',
      },
    ],
  },
  {
    name: 'notify-of-others-relayers',
    breaks: 'sends a notification the end at relayers that name another one',
    with: ['bulkObjects'],
    expects: 'another notification gets the end of part',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'Map.groupBy(left, ({ relayerId }) => notificationOf(relayerId))',
        put: 'new Map([[left[0] && notificationOf(left[0].relayerId), left]])',
      },
    ],
  },
  {
    name: 'notify-of-a-part-that-goes-on',
    breaks: 'sends a notification the end of a bulk cancellation as soon as one of its relayers is',
    caughtBy: 'test/domain/bulk-event.test.ts',
    expects: 'once both are final',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'notificationId === undefined || group.some(isOpen)',
        put: 'notificationId === undefined || group.every(isOpen)',
      },
    ],
  },
  {
    name: 'notify-of-a-delete',
    breaks: 'sends webhooks about a DELETE of everything pending',
    caughtBy: 'test/domain/bulk-event.test.ts',
    expects: 'a DELETE of everything pending notifies no one',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: "origin === 'delete' ? [] : parts.filter(",
        put: 'parts.filter(',
      },
    ],
  },
  {
    name: 'announce-without-a-pause',
    breaks: 'writes an event of a bulk cancellation with each look, however soon it comes',
    caughtBy: 'test/domain/bulk-event.test.ts',
    expects: 'each reader sees the end of its relayers once, and last',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'now < announcedAt + bulkEventEveryMs',
        put: 'now < announcedAt',
      },
    ],
  },
  {
    name: 'close-an-object-with-an-open-part',
    breaks: 'looks at a bulk cancellation no more once one of its relayers is final',
    with: ['bulkObjects'],
    expects: 'is over without a final event',
    edits: [
      {
        file: 'src/domain/bulk-event.ts',
        find: 'isOver: open.length === 0,',
        put: 'isOver: open.length < parts.length || parts.length === 0,',
      },
    ],
  },
  {
    name: 'take-any-tag',
    breaks: 'cancels what has any tag where a bulk cancellation names some',
    caughtBy: 'test/domain/bulk-filter.test.ts',
    expects: 'another is none of them',
    edits: [
      {
        file: 'src/domain/bulk-filter.ts',
        find: 'filter.tags.some((tag) => tags.includes(tag))',
        put: 'tags.length > 0',
      },
    ],
  },
  {
    name: 'announce-an-end-before-its-counts',
    breaks: 'calls a part final for other units of the commit that takes its races',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'the commit that cancels a race writes no final event',
    edits: [
      {
        file: 'src/store/transactions/bulk-rows.ts',
        find: "      state: 'written',\n",
        put: "      state: 'written',\n      final_at: sql<number>`CASE WHEN unsettled = 0 THEN 1 END`,\n",
      },
    ],
  },
]
