// The engine as it would be if a single count moved the next nonce, or bound nonces that the account never reaches.
import type { Mutant } from './mutant.ts'

const counted = 'test/chain/accounts/second-count.unit.test.ts'
const counting = 'src/chain/accounts/second-count.ts'
const reading = 'src/chain/accounts/read-account.ts'
const limit = 'src/domain/decide/rules/reach.ts'
const decided = 'test/domain/decide/rules/reach.test.ts'

const look = 'test/chain/one-look.unit.test.ts'

export const ofCounts: readonly Mutant[] = [
  {
    name: 'the-count-of-another-head',
    breaks: 'takes any count that came in the request that read the head',
    caughtBy: look,
    expects: 'beside the head is not taken',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'return count >= from && count <= through',
        put: 'return count >= 0 || count > from + through',
      },
    ],
  },
  {
    name: 'hashes-alone-say-who-looks',
    breaks: 'counts an account only once a block lists a hash of ours, which a node may leave out',
    caughtBy: look,
    expects: 'that a node leaves out make ours no later than two seconds',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'countStands: Patience = { blocks: 1, ms: 2_000 }',
        put: 'countStands: Patience = { blocks: 1, ms: 1e9 }',
      },
    ],
  },
  {
    name: 'hashes-of-the-newest-head-only',
    breaks: 'takes the hashes of the newest head for those of all blocks since the account was looked at',
    caughtBy: look,
    expects: 'of a head that only another account has looked at',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'at.newHashes.above <= Math.max(checkedAt, signed.block)',
        put: 'at.newHashes.above <= at.block',
      },
    ],
  },
  {
    name: 'the-fees-of-another-head',
    breaks: 'takes any prices that came in the request that read the head',
    caughtBy: look,
    expects: 'the fees of another head',
    edits: [
      {
        file: 'src/chain/fees/read-market.ts',
        find: 'return history?.newest === head.number ? history : undefined',
        put: 'return history',
      },
    ],
  },
  {
    name: 'read-heads-at-once',
    breaks: 'begins a reading of the head while another one is under way, whose late answer looks like a fall',
    caughtBy: look,
    expects: 'never under way at once',
    edits: [{ file: 'src/chain/heads/track-head.ts', find: 'reading ??= readHead()', put: 'reading = readHead()' }],
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
    name: 'a-doubted-count-moves',
    breaks: 'takes a count that nobody confirmed for the next nonce',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
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
    name: 'bind-at-any-distance',
    breaks: 'binds nonces at any distance above the record',
    caughtBy: decided,
    expects: 'is bound up to 10,000 above the record',
    edits: [
      {
        file: limit,
        find: 'if (below === 0 || nonce < below + reachMax) return bindable',
        put: 'if (below === 0 || nonce >= 0) return bindable',
      },
    ],
  },
  {
    name: 'confirm-a-count-by-itself',
    breaks: 'takes repeated counts of the only endpoint for those of another',
    caughtBy: decided,
    expects: 'is not bound on the word of the only endpoint',
    edits: [
      { file: limit, find: " || secondCount === 'unknown' || isSecondCountOwn", put: " || secondCount === 'unknown'" },
    ],
  },
  {
    name: 'raise-the-floor-to-any-count',
    breaks:
      'raises the floor of spent nonces in a history check to any count of a node, so that no nonce below is bound again',
    caughtBy: decided,
    expects: 'a history check raises no floor to a count beyond the reach',
    edits: [{ file: 'src/domain/decide/lost-history/search.ts', find: 'isBusy || !reach.isWithin ?', put: 'isBusy ?' }],
  },
  {
    name: 'fill-at-any-distance',
    breaks: 'fills nonces at any distance above the record',
    caughtBy: decided,
    expects: 'a gap filler has the same reach',
    edits: [
      {
        file: 'src/domain/decide/rules/gap-fillers.ts',
        find: 'limitReach(nonce, { work, observation })',
        put: 'limitReach(0, { work, observation })',
      },
    ],
  },
  {
    name: 'count-known-below-a-lost-head',
    breaks: 'reads no count until the chain is as high again as when the transaction in flight was signed',
    caughtBy: 'test/chain/accounts/source-of-nonce.unit.test.ts',
    expects: 'may have mined it far below the head at which it was signed',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: "|| unspentAt.block > head) return 'count'",
        put: ") return 'count'",
      },
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'unspentAt.block === head)',
        put: 'unspentAt.block >= head)',
      },
    ],
  },
]
