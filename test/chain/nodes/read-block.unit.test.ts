// An answer about another block than the requested one is no answer, and counts against the endpoint.
import { expect, test } from 'vitest'
import { askAbout } from '../../../src/chain/nodes/ask-about.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { readBody, readHeader, readNamed } from '../../../src/chain/nodes/read-block.ts'

const hash = `0x${'1'.repeat(64)}`

function endpointWith(answer: Answer) {
  const strays: string[] = []
  const partly: Partial<Endpoint> = { call: async () => answer, strayed: (method) => void strays.push(method) }
  return { endpoint: partly as Endpoint, strays }
}

const blockAt = (number: number): Answer => ({
  kind: 'value',
  value: { number: `0x${number.toString(16)}`, hash, parentHash: hash, timestamp: '0x1', transactions: [] },
})

const seeks = { account: `0x${'11'.repeat(20)}`, from: 0, through: 0 } as const

test.each([
  ['header', readHeader],
  ['body', (endpoint: Endpoint, number: number) => readBody(endpoint, number, seeks)],
] as const)('the %s of another height is none', async (_, read) => {
  const right = endpointWith(blockAt(7))
  expect(await read(right.endpoint, 7)).toHaveProperty('value')
  const wrong = endpointWith(blockAt(8))
  expect(await read(wrong.endpoint, 7)).toMatchObject({ why: 'another' })
  expect([right.strays, wrong.strays]).toEqual([[], ['eth_getBlockByNumber']])
})

test('the node chooses the latest block', async () => {
  const { endpoint, strays } = endpointWith(blockAt(8))
  expect(await readNamed(endpoint, 'latest')).toMatchObject({ value: { number: 8 } })
  expect(strays).toEqual([])
})

test.each<[string, Answer, string]>([
  ['null', { kind: 'value', value: null }, 'none'],
  ['an error', { kind: 'rpcError', code: -32000, message: 'header not found' }, 'none'],
  ['silence', { kind: 'unknown', message: 'no answer' }, 'noAnswer'],
])('%s is no stray', async (_, answer, why) => {
  const { endpoint, strays } = endpointWith(answer)
  const call = { method: 'eth_getBlockByNumber', params: ['0x7', false] }
  const reply = await askAbout(
    endpoint,
    call,
    (value) => value ?? undefined,
    () => false,
  )
  expect(reply).toMatchObject({ why })
  expect(strays).toEqual([])
})
