// A member of a response answers the call that has its id: once, and no other call.
import { expect, test } from 'vitest'
import { callAlone } from '../../../src/chain/nodes/call-alone.ts'
import { matchIds } from '../../../src/chain/nodes/response-body.ts'
import type { Transport } from '../../../src/chain/nodes/transport.ts'

function matched(...ids: readonly unknown[]) {
  const { byId, areMixed } = matchIds(
    ids.map((id, index) => ({ id, result: index })),
    [1, 2],
  )
  return { found: [...byId].map(([id, { result }]) => [id, result]), areMixed }
}

test('members count by their ids, in any order, and one may be missing', () => {
  const inOrder = [
    [2, 0],
    [1, 1],
  ]
  expect(matched(2, 1)).toEqual({ found: inOrder, areMixed: false })
  expect(matched(2)).toEqual({ found: [[2, 0]], areMixed: false })
})

test('of two members with one id none counts', () => {
  expect(matched(1, 1, 2)).toEqual({ found: [[2, 2]], areMixed: true })
})

test('a member with the id of no call answers none', () => {
  expect(matched(1, 3)).toEqual({ found: [[1, 0]], areMixed: true })
  expect(matched('1', 2)).toEqual({ found: [[2, 1]], areMixed: true })
})

test('an error about the whole request mixes nothing up', () => {
  expect(matched(null, undefined)).toEqual({ found: [], areMixed: false })
})

test.each([
  [1, 'value'],
  [null, 'value'],
  [undefined, 'value'],
  [2, 'unknown'],
])('a call alone, answered under the id %s: %s', async (id, kind) => {
  const json = { jsonrpc: '2.0', ...(id !== undefined && { id }), result: '0x1' }
  const transport: Transport = {
    post: async () => ({ kind: 'body', status: 200, json }),
    redact: (text) => text,
    close: async () => undefined,
  }
  expect(await callAlone(transport, { method: 'eth_chainId', params: [] })).toMatchObject({ kind })
})
