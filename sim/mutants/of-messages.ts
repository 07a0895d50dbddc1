// Mutants of the messages between replicas: what a replica believes, and how often a false message makes it read.
import type { Mutant } from './mutant.ts'

export const ofMessages: readonly Mutant[] = [
  {
    name: 'messages-of-any-mac',
    breaks: 'believes a message whatever its MAC is',
    caughtBy: 'test/store/seal-messages.unit.test.ts',
    expects: 'nothing else is believed: no MAC, half of one, another one',
    edits: [
      {
        file: 'src/store/postgres/seal-messages.ts',
        find: 'if (!derived.some((key) => timingSafeEqual(macOf(key, channel, stamped), given))) return undefined',
        put: 'if (given.length !== 32) return undefined',
      },
    ],
  },
  {
    name: 'messages-again',
    breaks: 'believes a message that was recorded and sent again',
    caughtBy: 'test/store/seal-messages.unit.test.ts',
    expects: 'what was recorded is old news: behind a later message',
    edits: [
      {
        file: 'src/store/postgres/seal-messages.ts',
        find: 'return isRecent && number > (last.get(from)?.number ?? 0)',
        put: 'return isRecent && number > 0 && from !== undefined',
      },
    ],
  },
  {
    name: 'messages-of-old',
    breaks: 'believes a recorded message of a sender that it does not remember, however old the message is',
    caughtBy: 'test/store/seal-messages.unit.test.ts',
    expects: 'what was recorded is old news: behind a later message',
    edits: [
      {
        file: 'src/store/postgres/seal-messages.ts',
        find: 'Math.abs(clock.now() - at) <= believedMs',
        put: 'Math.abs(clock.now() - at) >= 0',
      },
    ],
  },
  {
    name: 'messages-of-other-channels',
    breaks: 'believes a message that was sealed for another schema',
    caughtBy: 'test/store/seal-messages.unit.test.ts',
    expects: 'and not on another channel',
    edits: [
      {
        file: 'src/store/postgres/seal-messages.ts',
        find: '.update(channel)',
        put: '',
      },
    ],
  },
  {
    name: 'messages-without-proof',
    breaks: 'acts upon the content of a message that nothing proves',
    caughtBy: 'test/store/postgres-messages.test.ts',
    expects: 'a flood of false messages is one look at the database in half a second',
    edits: [
      {
        file: 'src/store/postgres/hints.ts',
        find: 'if (message === undefined) reread.request()',
        put: 'if (message === undefined) hear(hintsIn(payload))',
      },
    ],
  },
  {
    name: 'messages-flood-reads',
    breaks: 'reads the database for every message that nothing proves',
    caughtBy: 'test/store/reread.unit.test.ts',
    expects: 'it reads at once, then once in half a second for all that came',
    edits: [
      {
        file: 'src/store/postgres/reread.ts',
        find: 'if (!isResting) void run()',
        put: 'if (isResting) read()\n      else void run()',
      },
    ],
  },
  {
    name: 'messages-of-any-amount',
    breaks: 'counts any amount that another replica reports, also a negative one',
    caughtBy: 'test/http/request/limit-rate.test.ts',
    expects: 'of the use at other replicas, only whole amounts within the burst count',
    edits: [
      {
        file: 'src/http/request/limit-rate.ts',
        find: 'if (!Number.isSafeInteger(amount) || amount < 1 || amount > burst) continue',
        put: 'if (typeof amount !== "number") continue',
      },
    ],
  },
]
