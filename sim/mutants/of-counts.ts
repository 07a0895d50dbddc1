// The engine as it would be if a single count moved the next nonce.
import type { Mutant } from './mutant.ts'

const counted = 'test/chain/accounts/second-count.unit.test.ts'
const remembered = 'test/chain/accounts/remembered-account.test.ts'
const reached = 'test/domain/decide/limit-reach.test.ts'
const counting = 'src/chain/accounts/second-count.ts'
const reading = 'src/chain/accounts/read-account.ts'
const reach = 'src/domain/decide/queue/limit-reach.ts'

export const ofCounts: readonly Mutant[] = [
  {
    name: 'three-readings-in-a-row',
    breaks: 'believes the only endpoint after three readings, however close together they are',
    caughtBy: counted,
    expects: 'over fifteen seconds',
    edits: [{ file: counting, find: 'now - doubt.since < confirmMs', put: 'now - doubt.since < 0' }],
  },
  {
    name: 'one-reading-is-three',
    breaks: 'counts readings under one head in the same moment as several',
    caughtBy: counted,
    expects: 'one head in five seconds is one reading',
    edits: [
      {
        file: counting,
        find: 'readings: (known?.readings ?? 0) + (isNext ? 1 : 0)',
        put: 'readings: (known?.readings ?? 0) + 1',
      },
    ],
  },
  {
    name: 'the-last-reading-wins',
    breaks: 'believes the last of several counts that the only endpoint gave',
    caughtBy: counted,
    expects: 'the lowest of them',
    edits: [
      { file: counting, find: 'Math.min(known?.lowest ?? count, count)', put: 'Math.max(known?.lowest ?? 0, count)' },
    ],
  },
  {
    name: 'readings-of-two-branches',
    breaks: 'counts readings from before a reorganization',
    caughtBy: counted,
    expects: 'readings on two branches',
    edits: [
      {
        file: counting,
        find: 'last?.reorgs === reorgs() ? last : undefined',
        put: 'last?.reorgs !== -1 ? last : undefined',
      },
    ],
  },
  {
    name: 'doubts-last',
    breaks: 'goes on counting readings although an explained count came in between',
    caughtBy: counted,
    expects: 'before an explained count',
    edits: [
      {
        file: counting,
        find: 'explained: (address) => void doubts.delete(address)',
        put: 'explained: (address) => void doubts.has(address)',
      },
    ],
  },
  {
    name: 'bind-above-a-doubt',
    breaks: 'binds nonces and fills gaps while a higher count may be true',
    caughtBy: reached,
    expects: 'may be true',
    edits: [
      {
        file: reach,
        find: 'if (doubtedCount !== undefined && nonce >= observation.nonce)',
        put: 'if (doubtedCount !== undefined && nonce < 0)',
      },
    ],
  },
  {
    name: 'a-doubted-count-moves',
    breaks: 'takes a count that nobody confirmed for the next nonce',
    caughtBy: remembered,
    expects: 'has repeated it',
    edits: [
      {
        file: reading,
        find: '{ ...reading, nonce: below }, doubtedCount',
        put: '{ ...reading, nonce: reading.nonce }, doubtedCount',
      },
    ],
  },
  {
    name: 'bodies-explain-nothing',
    breaks: 'doubts counts that a history check has explained by bodies',
    caughtBy: remembered,
    expects: 'that a history check explained',
    edits: [
      { file: reading, find: 'Math.max(spentBelow, proven, before,', put: 'Math.max(spentBelow, proven * 0, before,' },
    ],
  },
]
