// Mutants of the terms of bulk cancellations, and of their events: limits of cost over several relayers, the pause, the end.
import type { Mutant } from './mutant.ts'

const terms = ['bulkObjects', 'bulkTerms'] as const

export const ofBulkTerms: readonly Mutant[] = [
  {
    name: 'pause-nothing-with-the-cancel',
    breaks: 'lets a relayer send on that a bulk cancellation was to pause',
    with: terms,
    expects: 'did not pause its relayer',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/stop-relayers.ts',
        find: 'const isPausedNow = head.pause && (await',
        put: 'const isPausedNow = head.pause && requester.keyId.length === 0 && (await',
      },
    ],
  },
  {
    name: 'bind-by-more-than-the-share',
    breaks: 'stores a bound of twice the share that max_cost leaves to a transaction',
    with: terms,
    expects: 'its transactions have shares of',
    edits: [
      {
        file: 'src/domain/bulk-effect.ts',
        find: "cancel(transaction, now, 'request', choice?.share)",
        put: "cancel(transaction, now, 'request', choice && 2n * choice.share)",
      },
    ],
  },
  {
    name: 'take-without-a-share',
    breaks: 'starts a race without a bound although the bulk cancellation has a max_cost',
    with: terms,
    expects: 'without a share of',
    edits: [
      {
        file: 'src/domain/bulk-effect.ts',
        find: "cancel(transaction, now, 'request', choice?.share)",
        put: "cancel(transaction, now, 'request', choice?.share === 0n ? 0n : undefined)",
      },
    ],
  },
  {
    name: 'take-a-race-for-free',
    breaks: 'takes for free what a node may have, so that a no-op has to race it',
    with: terms,
    expects: 'for free, and it is inFlight',
    edits: [
      {
        file: 'src/domain/bulk/choose-within.ts',
        find: 'if (!neverReachedANode(each))\n',
        put: 'if (!neverReachedANode(each) && each.version < 0)\n',
      },
    ],
  },
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
]
