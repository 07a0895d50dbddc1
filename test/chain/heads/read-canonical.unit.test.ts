// Deep blocks are remembered, and never those of a branch that was left: a verdict would become final on it.
import { expect, test } from 'vitest'
import { readingCanonical } from '../../../src/chain/heads/read-canonical.ts'
import type { HeadTracker, TrackedHead } from '../../../src/chain/heads/track-head.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { chooseAmong } from '../../../src/chain/nodes/endpoints.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { Head } from '../../../src/domain/observation.ts'

type Branch = 'left' | 'right'
const deep = 10
const tip = 1_000
const digit = { left: '1', right: '2' } as const

/** A block's hash contains its branch and its height. */
function hashOn(branch: Branch, number: number): Hash {
  return `0x${digit[branch].repeat(32)}${number.toString(16).padStart(32, '0')}`
}

function headOn(branch: Branch): Head {
  return { number: tip, hash: hashOn(branch, tip), parentHash: hashOn(branch, tip - 1), timestampMs: 0 }
}

/**
 * A node on one branch at a time, and a tracker that has the blocks of the head alone: both are moved by the test, each
 * when it likes, as no real node can be made to.
 */
function scene() {
  const state = { node: 'left' as Branch, tracked: 'left' as Branch, reorgs: 0, requested: 0 }
  let beforeAnswer = () => {}
  const ask: Endpoint['call'] = async ({ params: [hex] }) => {
    beforeAnswer()
    const number = Number(hex)
    if (number === deep) state.requested += 1
    const [hash, parentHash] = [hashOn(state.node, number), hashOn(state.node, number - 1)]
    return { kind: 'value', value: { number: hex, hash, parentHash, timestamp: '0x0' } }
  }
  const answers: Partial<Endpoint> = {
    index: 0,
    weight: 1,
    call: ask,
    ready: async () => undefined,
    rule: () => undefined,
    fit: () => true,
    probe: () => {},
    restsUntil: () => Number.NEGATIVE_INFINITY,
    lags: () => {},
    close: async () => {},
  }
  const endpoint = answers as Endpoint
  const observedOn = (branch: Branch): TrackedHead => ({ head: headOn(branch), by: endpoint })
  const heads: HeadTracker = {
    current: async () => observedOn(state.tracked),
    follow: () => {},
    hashAt: (number) => (number === tip ? hashOn(state.tracked, tip) : undefined),
    height: () => tip,
    listsHashes: () => true,
    begunAt: () => 0,
    ageMs: () => 0,
    standsMs: () => 0,
    reorgs: () => state.reorgs,
    split: () => [],
    close: () => {},
  }
  const read = readingCanonical(chooseAmong([endpoint]), heads)
  return {
    state,
    /** The head that is believed lies on the other branch from now on. */
    reorganize() {
      state.tracked = state.tracked === 'left' ? 'right' : 'left'
      state.reorgs += 1
    },
    beforeAnswer: (act: () => void) => {
      beforeAnswer = act
    },
    deepBlock: async (branch: Branch) => (await read([deep], observedOn(branch))).get(deep),
  }
}

test('a deep block is read once, and again after a reorganization', async () => {
  const { state, reorganize, deepBlock } = scene()
  expect(await deepBlock('left')).toBe(hashOn('left', deep))
  expect(await deepBlock('left')).toBe(hashOn('left', deep))
  expect(state.requested).toBe(1)
  reorganize()
  state.node = 'right'
  expect(await deepBlock('right')).toBe(hashOn('right', deep))
  expect(state.requested).toBe(2)
})

test('an observation of an abandoned head passes no block to the next observation', async () => {
  const { state, reorganize, deepBlock } = scene()
  // The observation began on the left branch; by the time it reads the deep block, the head lies on the right one.
  reorganize()
  expect(await deepBlock('left')).toBeUndefined()
  state.node = 'right'
  expect(await deepBlock('right')).toBe(hashOn('right', deep))
})

test('nor a block read while the head was abandoned', async () => {
  const { state, reorganize, beforeAnswer, deepBlock } = scene()
  beforeAnswer(() => {
    if (state.reorgs === 0) reorganize()
  })
  expect(await deepBlock('left')).toBeUndefined()
  state.node = 'right'
  expect(await deepBlock('right')).toBe(hashOn('right', deep))
})

test('nor one read while the head was abandoned and came back', async () => {
  const { state, reorganize, beforeAnswer, deepBlock } = scene()
  beforeAnswer(() => {
    if (state.reorgs > 0) return
    reorganize()
    reorganize()
  })
  expect(await deepBlock('left')).toBeUndefined()
  expect(await deepBlock('left')).toBe(hashOn('left', deep))
})

test('nor is a node that comes to the branch of the head between two answers', async () => {
  const { state, beforeAnswer, deepBlock } = scene()
  state.node = 'right'
  let answers = 0
  beforeAnswer(() => {
    answers += 1
    if (answers === 2) state.node = 'left'
  })
  expect(await deepBlock('left')).not.toBe(hashOn('right', deep))
  expect(await deepBlock('left')).toBe(hashOn('left', deep))
})

test('a node on another branch than the head is not believed', async () => {
  const { state, deepBlock } = scene()
  state.node = 'right'
  expect(await deepBlock('left')).toBeUndefined()
  state.node = 'left'
  expect(await deepBlock('left')).toBe(hashOn('left', deep))
})
