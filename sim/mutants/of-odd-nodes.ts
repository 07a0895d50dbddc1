// The engine as it would be if it took odd but honest nodes for broken or lying ones.
import type { Mutant } from './mutant.ts'

const stateless = 'test/chain/latest-state-only.test.ts'
const followed = 'test/chain/heads/follow-branch.test.ts'
const called = 'test/chain/inclusions/call-witnesses.test.ts'
const received = 'test/chain/inclusions/receipts.test.ts'

export const ofOddNodes: readonly Mutant[] = [
  {
    name: 'wait-for-an-older-state',
    breaks: 'never searches bodies through a node that keeps only the latest state',
    caughtBy: stateless,
    expects: 'keeps only the latest state',
    edits: [
      {
        file: 'src/chain/inclusions/find-inclusions.ts',
        find: 'return open.filter(({ nonce }) => nonce < spentBelow && isOld(nonce))',
        put: 'return open.filter(({ nonce }) => nonce < spentBelow && isOld(nonce) && nonce < 0)',
      },
    ],
  },
  {
    name: 'believe-the-block-of-a-state-call',
    breaks: 'takes the latest count for that of an older block, where the node ignores the block of a call',
    caughtBy: stateless,
    expects: 'ignores the block of a call',
    edits: [
      {
        file: 'src/chain/nodes/read-nonce.ts',
        find: 'return ((await readNonce(endpoint, address, 0)) ?? 0) > 0',
        put: 'return ((await readNonce(endpoint, address, 0)) ?? 0) < 0',
      },
    ],
  },
  {
    name: 'the-latest-count-is-final',
    breaks: 'takes the latest count for that of the final block',
    caughtBy: stateless,
    expects: 'once that is final',
    edits: [
      {
        file: 'src/chain/inclusions/read-final-count.ts',
        find: 'finalAt: head + aheadMax',
        put: 'finalAt: head - head * aheadMax',
      },
    ],
  },
  {
    name: 'no-result-without-the-hash',
    breaks:
      'drops the result of a receipt that names another block than the header, although the body proves the transaction',
    caughtBy: received,
    expects: 'with its result',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'return shown.hash === hash && shown.block.number === block.number',
        put: 'return shown.hash === hash && shown.block.hash === block.hash',
      },
    ],
  },
  {
    name: 'a-receipt-of-any-height',
    breaks: 'takes the result from a receipt that names another height than the body of the block',
    caughtBy: received,
    expects: 'no evidence of the result',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'return shown.hash === hash && shown.block.number === block.number',
        put: 'return shown.hash === hash',
      },
      {
        file: 'src/chain/inclusions/prove-spender.ts',
        find: '(isDeep && number === block.number)',
        put: '(isDeep && number <= at.head.number)',
      },
    ],
  },
  {
    name: 'witnesses-by-hash-alone',
    breaks: 'waits for a second block hash on networks whose clients hash blocks differently',
    caughtBy: called,
    expects: 'hash blocks differently',
    edits: [
      {
        file: 'src/chain/inclusions/witness-view.ts',
        find: "(witness === 'transaction' && one.number === other.number)",
        put: "(witness === 'transaction' && one.number === -other.number)",
      },
    ],
  },
  {
    name: 'another-hash-is-a-refutation',
    breaks: 'takes a block with another hash and without the transaction for a refutation',
    caughtBy: called,
    expects: 'hash blocks differently',
    edits: [
      {
        file: 'src/chain/inclusions/witness-view.ts',
        find: "const denial = listing.hash === requested.block.hash ? 'unlisted' : 'elsewhere'",
        put: "const denial = listing.number === requested.block.number ? 'unlisted' : 'elsewhere'",
      },
    ],
  },
  {
    name: 'flashblocks-are-branches',
    breaks: 'takes heads over one parent for branches, so that flashblocks exclude endpoints',
    caughtBy: followed,
    expects: 'change their hash at one height',
    edits: [
      {
        file: 'src/chain/heads/branches.ts',
        find: 'return leader.head.parentHash === head.parentHash',
        put: 'return leader.head.parentHash === head.hash',
      },
    ],
  },
  {
    name: 'a-young-block-contradicts',
    breaks: 'reports a contradiction as soon as two endpoints show another hash of the newest block',
    caughtBy: called,
    expects: 'until a block follows',
    edits: [
      {
        file: 'src/chain/inclusions/witness-ledger.ts',
        find: 'head <= claim.block.number && said.refutedBy.length === 0',
        put: 'head < claim.block.number && said.refutedBy.length === 0',
      },
    ],
  },
  {
    name: 'hashes-are-compared-always',
    breaks: 'takes clients that hash blocks differently for endpoints on two branches',
    caughtBy: followed,
    expects: 'if the profile says so',
    edits: [
      {
        file: 'src/chain/heads/follow-branch.ts',
        find: 'const isOne = !comparesHashes || ',
        put: 'const isOne = (!comparesHashes && endpoints === undefined) || ',
      },
    ],
  },
]
