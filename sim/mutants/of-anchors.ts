// The engine as it would be if an endpoint of another chain with the same chain id were followed, or one that invents blocks.
import type { Mutant } from './mutant.ts'

const move = 'src/chain/heads/move-anchor.ts'
const admit = 'src/chain/heads/read-head.ts'
const branches = 'src/chain/heads/branches.ts'
const apart = 'test/chain/heads/branches.unit.test.ts'
const followed = 'test/chain/heads/follow-branch.test.ts'
const tested = 'test/chain/heads/anchor.test.ts'

export const ofAnchors: readonly Mutant[] = [
  {
    name: 'another-block-at-the-anchor-counts',
    breaks: 'uses an endpoint that shows another block at the anchor',
    caughtBy: tested,
    expects: 'is neither read nor sent to, and is back once it shows the anchor',
    edits: [
      {
        file: 'src/chain/nodes/serving.ts',
        find: 'shown !== undefined && shown !== anchor.hash',
        put: 'shown === anchor.hash + anchor.hash',
      },
    ],
  },
  {
    name: 'any-denial-replaces-the-anchor',
    breaks: 'gives up the anchor as soon as one of several endpoints denies it',
    caughtBy: tested,
    expects: 'keeps the anchor where another endpoint shows it, or does not answer',
    edits: [
      {
        file: 'src/chain/network.ts',
        find: 'endpoints().every((endpoint) => endpoint.deniesAnchor())',
        put: 'endpoints().some((endpoint) => endpoint.deniesAnchor())',
      },
    ],
  },
  {
    name: 'anchor-by-one-of-two',
    breaks: 'records an anchor that a second endpoint contradicts',
    caughtBy: tested,
    expects: 'no block becomes the anchor that a second endpoint contradicts',
    edits: [{ file: move, find: '(again && valueIn(again)?.hash !== block.hash)', put: 'again === null' }],
  },
  {
    name: 'anchor-within-an-hour',
    breaks: 'records an anchor that a reorganization of half an hour removes',
    caughtBy: tested,
    expects: 'a block with 256 blocks and an hour on top of it becomes the anchor',
    edits: [
      { file: move, find: 'head.timestampMs - anchorDepth.spanMs', put: 'head.timestampMs - anchorDepth.spanMs / 2' },
    ],
  },
  {
    name: 'adopt-a-head-of-the-future',
    breaks: 'adopts a first head that is far ahead of the time since the anchor',
    caughtBy: tested,
    expects: 'a first head that is too far ahead of the anchor is not adopted',
    edits: [
      {
        file: admit,
        find: '&& isTooFarAhead(head, from, clock.now())',
        put: '&& isTooFarAhead(from, from, clock.now())',
      },
    ],
  },
  {
    name: 'count-endpoints-of-one-provider',
    breaks: 'counts two endpoints of one provider as two voices',
    caughtBy: apart,
    expects: 'two endpoints of one provider are one voice',
    edits: [{ file: branches, find: 'new Set(branch.map(({ by }) => by.provider)).size', put: 'branch.length' }],
  },
  {
    name: 'settle-while-branches-differ',
    breaks: 'settles by one of two branches, although neither is proven',
    caughtBy: followed,
    expects: 'between two that both grow neither is followed, nothing is settled, and both are named',
    edits: [{ file: 'src/chain/observe.ts', find: '...(isSplit && nothingSettled),', put: '' }],
  },
  {
    name: 'no-vote',
    breaks: 'follows the highest branch, however few endpoints hold it',
    caughtBy: followed,
    expects: 'the branch of two is followed, not the one that a third invents',
    edits: [
      {
        file: 'src/chain/heads/follow-branch.ts',
        find: 'if (isOne || (!isDoubted && !dispute)) {',
        put: 'if (isOne || isDoubted || !dispute) {',
      },
    ],
  },
]
