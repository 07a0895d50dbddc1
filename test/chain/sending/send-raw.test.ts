// The methods that send: those of the profile where a node has them, and the usual one everywhere else.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver, signedBy } from '../network-under-test.ts'

const signed = await signedBy(devAccount(0).key, { nonce: 0 })
const missing: RpcReply = { error: { code: -32601, message: 'the method does not exist' } }
const sends = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'eth_sendRawTransactionConditional']

let node: RpcServer
let replies: Readonly<Record<string, RpcReply>> = {}

beforeAll(async () => {
  node = await startRpcServer()
  node.react({
    do: 'answer',
    each: ({ method }) => replies[method] ?? (method === 'eth_chainId' ? { result: '0x7a69' } : missing),
  })
})
afterAll(() => node?.[Symbol.asyncDispose]())
beforeEach(() => {
  node.forget()
  replies = { eth_sendRawTransaction: { result: signed.hash } }
})

async function sentBy(profile: object, validUntil?: number) {
  await using network = networkOver([node.url], { profile: { ...ethereumProfile, ...profile } })
  const request = { ...signed, ...(validUntil !== undefined && { validUntil }) }
  const outcome = (await network.chain.broadcast([request])).get(signed.hash)
  const calls = node.calls().filter(({ method }) => sends.includes(method))
  return { outcome, methods: calls.map(({ method }) => method), params: calls.at(-1)?.params }
}

test('by eth_sendRawTransaction, unless the profile names another', async () => {
  expect(await sentBy({}, 1_700_000_000_999)).toMatchObject({
    ...{ methods: ['eth_sendRawTransaction'], outcome: { kind: 'accepted' } },
  })
})

test('the receipt of a send that waits for it is an acceptance, and so is a wait that was too short', async () => {
  const method = 'eth_sendRawTransactionSync'
  replies = { [method]: { result: { transactionHash: signed.hash, status: '0x1' } } }
  expect(await sentBy({ sendSync: true })).toMatchObject({ methods: [method], outcome: { kind: 'accepted' } })
  replies = { [method]: { error: { code: 4, message: 'not processed within 2s', data: signed.hash } } }
  expect((await sentBy({ sendSync: true })).outcome).toEqual({ kind: 'accepted' })
  replies = { [method]: { error: { code: 4, message: 'not processed within 2s' } } }
  expect((await sentBy({ sendSync: true })).outcome).toMatchObject({ kind: 'unknown' })
})

test('an end goes along in whole seconds, and a sequencer that enforces it rejects for certain', async () => {
  const method = 'eth_sendRawTransactionConditional'
  replies = { [method]: { result: signed.hash } }
  expect(await sentBy({ sendConditional: true }, 1_700_000_000_999)).toMatchObject({
    ...{ methods: [method], outcome: { kind: 'accepted' } },
    params: [signed.raw, { timestampMax: '0x6553f100' }],
  })
  replies = { [method]: { error: { code: -32003, message: 'TimestampMax condition not met' } } }
  expect((await sentBy({ sendConditional: true }, 1)).outcome).toMatchObject({ kind: 'rejected', code: 'nodeLimit' })
})

test('without an end, and where a node lacks the method, the usual one follows', async () => {
  expect((await sentBy({ sendConditional: true })).methods).toEqual(['eth_sendRawTransaction'])
  node.forget()
  expect(await sentBy({ sendSync: true, sendConditional: true }, 1)).toMatchObject({
    methods: ['eth_sendRawTransactionConditional', 'eth_sendRawTransaction'],
    outcome: { kind: 'accepted' },
  })
})
