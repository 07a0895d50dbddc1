// Mutants of deliveries: giving them up, and how long a receiver that is down holds up others.
import type { Mutant } from './mutant.ts'

const giveUp = 'src/store/deliveries/give-up.ts'

export const ofDeliveries: readonly Mutant[] = [
  {
    name: 'untaken-events-wait',
    breaks: 'never gives up the events that a queue has not taken over, so pruning stops before them',
    caughtBy: 'test/retention/give-up-events.test.ts',
    expects: 'what a dead receiver did not take within a day is given up in bounded rows',
    edits: [{ file: giveUp, find: 'givenUpAtOnce - buried.length, now)', put: '0, now)' }],
  },
  {
    name: 'young-events-given-up',
    breaks: 'gives up events that have not had their day behind the first that has',
    caughtBy: 'test/retention/give-up-events.test.ts',
    expects: 'what a dead receiver did not take within a day is given up in bounded rows',
    edits: [{ file: giveUp, find: 'young === -1 ? rows : rows.slice(0, young)', put: 'young === 0 ? [] : rows' }],
  },
  {
    name: 'dead-letters-without-end',
    breaks: 'keeps a row for every event that a receiver ever missed',
    caughtBy: 'test/retention/give-up-events.test.ts',
    expects: 'what a dead receiver did not take within a day is given up in bounded rows',
    edits: [
      {
        file: giveUp,
        find: '{ notificationId, keptMax, limit: droppedAtOnce }',
        put: '{ notificationId, keptMax: 1e9 * Math.max(1, keptMax), limit: droppedAtOnce }',
      },
    ],
  },
  {
    name: 'given-up-at-the-start',
    breaks: 'gives events up as soon as the service has started, although it was the service that was down',
    caughtBy: 'test/retention/give-up-events.test.ts',
    expects: 'what a dead receiver did not take within a day is given up in bounded rows',
    edits: [
      {
        file: 'src/retention/prune-events.ts',
        find: 'clock.elapsed() - startedAt >= givesUpAfterMs',
        put: 'clock.elapsed() + givesUpAfterMs >= startedAt',
      },
    ],
  },
  {
    name: 'day-from-the-first-try',
    breaks: 'retries an event for a day after its first try, however late that was',
    caughtBy: 'test/domain/delivery.test.ts',
    expects: 'the day of an event ends a day after its commit',
    edits: [
      {
        file: 'src/domain/delivery.ts',
        find: 'return at > givesUpAt ? undefined : at',
        put: 'return tries > 60 && at > givesUpAt ? undefined : at',
      },
    ],
  },
  {
    name: 'search-without-pause',
    breaks:
      'looks at page after page of the outbox for a filter that matches nothing, without a pause for other requests',
    caughtBy: 'test/http/events/search-events.test.ts',
    expects: 'streams that look for an event take turns, a page each',
    edits: [
      {
        file: 'src/http/events/stream-events.ts',
        find: '({ mayBeFar }) => (mayBeFar ? clock.sleep(eventsSearchBreathMs) : undefined)',
        put: '() => undefined',
      },
    ],
  },
  {
    name: 'search-shows-no-position',
    breaks: 'sends no position while it searches, so that a reader that comes back has everything searched again',
    caughtBy: 'test/http/events/search-events.test.ts',
    expects: 'a reader passes what its filter does not match once, in bounded pages',
    edits: [
      {
        file: 'src/http/events/stream-events.ts',
        find: 'if (wasSearching && events.length === 0 && !isBound) {',
        put: 'if (events.length < 0) {',
      },
    ],
  },
]
