// A tag is believed only where its block lies on the chain of the head, and no node makes it go back.
import { expect, test } from 'vitest'
import { namingBlocks, readingTags } from '../../../src/chain/heads/read-tag.ts'
import type { TrackedHead } from '../../../src/chain/heads/track-head.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { chooseAmong } from '../../../src/chain/nodes/endpoints.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import { manualClock } from '../../support/manual-clock.ts'

type Branch = 'left' | 'right'
const digit = { left: '1', right: '2' } as const
/** Below, both branches are one. */
const fork = 90
const rereadMs = 30_000

/** A block's hash contains its branch and its height. */
function hashOn(branch: Branch, number: number): Hash {
  const of = number <= fork ? '0' : digit[branch]
  return `0x${of.repeat(32)}${number.toString(16).padStart(32, '0')}`
}

function blockOn(branch: Branch, number: number): Answer {
  const [hash, parentHash] = [hashOn(branch, number), hashOn(branch, number - 1)]
  return { kind: 'value', value: { number: `0x${number.toString(16)}`, hash, parentHash, timestamp: '0x0' } }
}

const unknownTag: Answer = { kind: 'rpcError', code: -39001, message: 'finalized block not found' }

/** Each node answers what the test last said; the service is on a branch, and believes a head. */
function scene(...first: readonly Answer[]) {
  const state = { answers: [...first], branch: 'left' as Branch, head: 100, reorgs: 0, calls: 0 }
  let beforeAnswer = () => {}
  const clock = manualClock()
  const endpoints = first.map((_, index): Endpoint => {
    const answers: Partial<Endpoint> = {
      index,
      weight: 1,
      call: async () => {
        state.calls += 1
        beforeAnswer()
        return state.answers[index] ?? unknownTag
      },
      ready: async () => undefined,
      rule: () => undefined,
      fit: () => true,
      probe: () => {},
      restsUntil: () => Number.NEGATIVE_INFINITY,
    }
    return answers as Endpoint
  })
  const heads = { hashAt: (number: number) => hashOn(state.branch, number), reorgs: () => state.reorgs }
  const readTag = readingTags({
    endpoints: chooseAmong(endpoints),
    heads,
    namedBlock: namingBlocks(clock, rereadMs),
    clock,
    rereadMs,
    readCanonical: async (numbers, { head }) =>
      new Map([...numbers].filter((each) => each <= head.number).map((each) => [each, hashOn(state.branch, each)])),
  })
  const at = (): TrackedHead => {
    const [hash, parentHash] = [hashOn(state.branch, state.head), hashOn(state.branch, state.head - 1)]
    const by = endpoints[0]
    if (!by) throw new Error('a scene has a node')
    return { head: { number: state.head, hash, parentHash, timestampMs: 0 }, by }
  }
  return {
    state,
    clock,
    read: () => readTag('finalized', at()),
    reorganize() {
      state.branch = state.branch === 'left' ? 'right' : 'left'
      state.reorgs += 1
    },
    beforeAnswer: (act: () => void) => {
      beforeAnswer = act
    },
  }
}

test('one call a head, and another when the head stays', async () => {
  const { state, clock, read } = scene(blockOn('left', 80))
  expect(await Promise.all([read(), read()])).toEqual([80, 80])
  expect(state.calls).toBe(1)
  state.answers[0] = blockOn('left', 85)
  expect(await read()).toBe(80)
  clock.advance(rereadMs)
  expect([await read(), state.calls]).toEqual([85, 2])
  state.head += 1
  expect([await read(), state.calls]).toEqual([85, 3])
})

test.each([
  ['an error', unknownTag],
  ['a null', { kind: 'value', value: null }],
  ['no answer', { kind: 'unknown', message: 'timeout' }],
  ['a block above the head', blockOn('left', 101)],
  ['a block of another branch', blockOn('right', 95)],
] as const)('%s is an absent value, and another endpoint is read', async (_, answer) => {
  expect(await scene(answer).read()).toBeUndefined()
  const two = scene(answer, blockOn('left', 70))
  expect([await two.read(), two.state.calls]).toEqual([70, 2])
})

test('a block that was above the head counts once a head has reached it, on its own branch only', async () => {
  const { state, read } = scene(blockOn('left', 101))
  expect(await read()).toBeUndefined()
  state.answers[0] = blockOn('left', 110)
  state.head = 105
  expect(await read()).toBe(101)
  state.answers[0] = blockOn('right', 120)
  state.head = 115
  expect(await read()).toBe(110)
  state.head = 125
  expect(await read()).toBe(110)
})

test('a node that is behind, or has lost the tag, does not make it go back', async () => {
  const { state, read } = scene(blockOn('left', 95))
  expect(await read()).toBe(95)
  for (const answer of [blockOn('left', 60), unknownTag, blockOn('right', 97)]) {
    state.answers[0] = answer
    state.head += 1
    expect(await read()).toBe(95)
  }
})

test('a reorganization below the tag does', async () => {
  const { state, read, reorganize } = scene(blockOn('left', 95))
  expect(await read()).toBe(95)
  reorganize()
  state.head += 1
  expect(await read()).toBeUndefined()
  state.answers[0] = blockOn('right', 88)
  state.head += 1
  expect(await read()).toBe(88)
})

test('a block that the branch of the head may not hold counts for no head', async () => {
  const { state, read, reorganize, beforeAnswer } = scene(blockOn('right', 95))
  beforeAnswer(() => {
    if (state.reorgs === 0) reorganize()
  })
  expect(await read()).toBeUndefined()
})
