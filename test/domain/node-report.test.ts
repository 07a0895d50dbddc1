// The states of endpoints and networks, and the sentences of their conditions.
import { expect, test } from 'vitest'
import {
  bestHeadOf,
  isStale,
  type NodeReason,
  type NodeView,
  networkNodesStateOf,
  nodeSentence,
  nodeStateOf,
  withLag,
} from '../../src/domain/node-report.ts'
import { now } from './some.ts'
import { someNode } from './some-node.ts'

const restsUntil = now + 1_000
const hash = (digit: string) => `0x${digit.repeat(64)}` as const
const silent: NodeReason = { condition: 'no_answer', facts: { inRow: 4, restsUntil } }
const lagging: NodeReason = { condition: 'lagging', facts: { behind: 9, restsUntil } }
const wrong: NodeReason = { condition: 'wrong_chain', facts: { expectedChain: 1, servedChain: 5, restsUntil } }
const unverified: NodeReason = { condition: 'unverified', facts: {} }
const strayed: NodeReason = { condition: 'strayed', facts: { method: 'eth_getBlockByNumber', inRow: 2, restsUntil } }
const outvoted: NodeReason = { condition: 'outvoted', facts: { restsUntil } }
const differs: NodeReason = { condition: 'branches_differ', facts: { block: 7, hash: hash('a') } }

test.each<[readonly NodeReason[], string]>([
  [[], 'ok'],
  [[unverified], 'unverified'],
  [[lagging], 'impaired'],
  [[silent], 'impaired'],
  [[wrong, silent], 'distrusted'],
  [[strayed], 'distrusted'],
  [[outvoted], 'distrusted'],
  [[differs, lagging], 'distrusted'],
])('an endpoint with the reasons %j is %s', (reasons, state) => {
  expect(nodeStateOf({ reasons })).toBe(state)
})

test.each<[readonly (readonly (readonly NodeReason[])[])[], string]>([
  [[], 'unreported'],
  [[[[], []]], 'ok'],
  [[[[], [unverified]]], 'ok'],
  [[[[], [lagging]]], 'degraded'],
  [[[[], [wrong]]], 'degraded'],
  [[[[silent], [wrong]]], 'down'],
  [[[[silent], [lagging]]], 'degraded'],
  [[[[]], [[silent]]], 'down'],
])('a network that replicas see as %j is %s', (views, state) => {
  const seen: readonly (readonly NodeView[])[] = views.map((nodes) => nodes.map((reasons) => someNode({ reasons })))
  expect(networkNodesStateOf(seen)).toBe(state)
})

test.each<[NodeReason, string]>([
  [wrong, 'serves chain 5, not 1'],
  [
    { condition: 'wrong_chain', facts: { block: 9, expectedHash: hash('a'), shownHash: hash('b'), restsUntil } },
    `shows ${hash('b')} as block 9, and the anchor of the network is ${hash('a')}`,
  ],
  [silent, 'did not answer the last 4 requests'],
  [{ ...silent, facts: { inRow: 1, restsUntil } }, 'did not answer the last request'],
  [lagging, 'its head is 9 blocks behind'],
  [{ ...lagging, facts: { behind: 1 } }, 'its head is 1 block behind'],
  [{ ...lagging, facts: { restsUntil } }, 'its head is behind those of others'],
  [strayed, 'answered eth_getBlockByNumber about another thing than the call named, 2 times in a row'],
  [outvoted, 'holds another branch than most endpoints'],
  [differs, `holds ${hash('a')} as block 7, and as many endpoints hold another branch: nothing is settled meanwhile`],
  [unverified, 'has not shown yet which chain it serves'],
])('the sentence of %j', (reason, sentence) => {
  expect(nodeSentence(reason)).toBe(sentence)
})

test.each<[behind: number, blocktimeMs: number, isShown: boolean]>([
  [1, 12_000, false],
  [2, 12_000, true],
  [9, 1_000, false],
  [10, 1_000, true],
  [39, 250, false],
  [40, 250, true],
])('%i blocks of %i ms behind: lagging %s', (behind, blocktimeMs, isShown) => {
  const view = someNode({ head: { number: 1, madeAt: now, readAt: now, behind } })
  const shown = isShown ? [{ condition: 'lagging', facts: { behind } }] : []
  expect(withLag(view, blocktimeMs).reasons).toEqual(shown)
})

test('an endpoint that rests for its lag has the condition once', () => {
  const view = someNode({ head: { number: 1, madeAt: now, readAt: now, behind: 9 }, reasons: [lagging] })
  expect(withLag(view, 12_000)).toEqual(view)
})

test('the best head is the highest of endpoints that are not distrusted', () => {
  const head = (number: number) => ({ head: { number, madeAt: now, readAt: now, behind: 0 } })
  const invented = someNode({ ...head(900), reasons: [wrong] })
  expect(bestHeadOf([someNode(head(5)), invented, someNode(head(7))])?.number).toBe(7)
  expect(bestHeadOf([invented])).toBeUndefined()
})

test('a report is stale after a minute', () => {
  expect([isStale({ readAt: now - 60_000 }, now), isStale({ readAt: now - 60_001 }, now)]).toEqual([false, true])
})
