// The engine as it would be if it kept too little, or too much, of the contradictions between endpoints.
import type { Mutant } from './mutant.ts'

const recorded = 'test/chain/record-contradictions.test.ts'
const recorder = 'src/chain/record-contradictions.ts'

export const ofContradictions: readonly Mutant[] = [
  {
    name: 'contradictions-without-end',
    breaks: 'stores a contradiction again each time that it shows',
    caughtBy: recorded,
    expects: 'once an hour',
    edits: [{ file: recorder, find: 'clock.elapsed() - last < againMs', put: 'clock.elapsed() - last < 0' }],
  },
  {
    name: 'contradictions-only-once',
    breaks: 'never stores a contradiction a second time',
    caughtBy: recorded,
    expects: 'once an hour',
    edits: [{ file: recorder, find: 'clock.elapsed() - last < againMs', put: 'last < clock.elapsed() + againMs' }],
  },
  {
    name: 'whole-answers',
    breaks: 'stores answers of any length',
    caughtBy: recorded,
    expects: 'cut off',
    edits: [{ file: recorder, find: '.slice(0, answerCharactersMax)', put: '.slice(0, answerCharactersMax * 1_024)' }],
  },
  {
    name: 'contradictions-pile-up',
    breaks: 'keeps any number of contradictions in memory while the store is slow',
    caughtBy: recorded,
    expects: 'no more of them wait',
    edits: [{ file: recorder, find: 'waiting >= waitingMax', put: 'waiting < 0' }],
  },
  {
    name: 'one-failed-write-is-the-last',
    breaks: 'stores no contradiction after the store failed once',
    caughtBy: recorded,
    expects: 'the next is stored',
    edits: [
      {
        file: recorder,
        find: "logger.debug({ err }, 'a contradiction between endpoints could not be stored')",
        put: "logger.debug({ err }, 'a contradiction could not be stored')\n      isClosed = true",
      },
    ],
  },
  {
    name: 'contradictions-of-all-networks-make-room',
    breaks: "lets the contradictions of one network push out another's",
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'those of others stay',
    edits: [
      {
        file: 'src/store/registry/contradictions.ts',
        find: `    .deleteFrom('contradictions')
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .where('id', '<', p.id),`,
        put: `    .deleteFrom('contradictions')
    .where('id', '<', p.id),`,
      },
    ],
  },
  {
    name: 'an-answer-is-not-kept',
    breaks: 'keeps the contradiction of witnesses without the answer that denies',
    caughtBy: 'test/chain/inclusions/call-witnesses.test.ts',
    expects: 'what each endpoint showed',
    edits: [
      {
        file: 'src/chain/inclusions/call-witnesses.ts',
        find: 'answers: words.map(',
        put: "answers: words.filter(({ view }) => view === 'shown').map(",
      },
    ],
  },
  {
    name: 'contradictions-for-a-day',
    breaks: 'forgets contradictions after a day',
    caughtBy: 'test/retention/prune-contradictions.test.ts',
    expects: 'kept for a week',
    edits: [
      {
        file: 'src/domain/contradiction.ts',
        find: 'export const contradictionKeptMs = 7 * 86_400_000',
        put: 'export const contradictionKeptMs = 86_400_000',
      },
    ],
  },
]
