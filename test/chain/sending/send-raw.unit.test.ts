// The methods that send: those of the profile where a node has them, and the usual one everywhere else.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type Reaction, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver, signedBy } from '../network-under-test.ts'

const signed = await signedBy(devAccount(0).key, { nonce: 0 })
const missing: RpcReply = { error: { code: -32601, message: 'the method does not exist' } }
const sends = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'eth_sendRawTransactionConditional']

let node: RpcServer
let replies: Readonly<Record<string, RpcReply>> = {}

const replyTo = (method: string) => replies[method] ?? (method === 'eth_chainId' ? { result: '0x7a69' } : missing)
const answering: Reaction = { do: 'answer', each: ({ method }) => replyTo(method) }

beforeAll(async () => {
  node = await startRpcServer()
})
afterAll(() => node?.[Symbol.asyncDispose]())
beforeEach(() => {
  node.react(answering)
  node.forget()
  replies = { eth_sendRawTransaction: { result: signed.hash } }
})

/** How many sends wait for their receipts at an endpoint. */
const waitingMax = 16
const signedMany = await Promise.all(
  Array.from({ length: waitingMax + 1 }, (_, nonce) => signedBy(devAccount(0).key, { nonce })),
)

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
  const receipt = { transactionHash: signed.hash, blockHash: `0x${'0'.repeat(64)}`, status: '0x1' }
  replies = { [method]: { result: receipt } }
  expect(await sentBy({ sendSync: true })).toMatchObject({
    ...{ methods: [method], outcome: { kind: 'accepted', code: 'ordered' } },
  })
  replies = { [method]: { error: { code: 4, message: 'not processed within 2s', data: signed.hash } } }
  expect((await sentBy({ sendSync: true })).outcome).toEqual({ kind: 'accepted' })
  replies = { [method]: { error: { code: 4, message: 'not processed within 2s' } } }
  expect((await sentBy({ sendSync: true })).outcome).toMatchObject({ kind: 'unknown' })
})

test('the errors of EIP-7966 say what they prove by their codes: in doubt, or a gap', async () => {
  const method = 'eth_sendRawTransactionSync'
  replies = { [method]: { error: { code: 5, message: 'nonce too low' } } }
  expect((await sentBy({ sendSync: true })).outcome).toMatchObject({ kind: 'unknown', code: 'unrecognized' })
  replies = { [method]: { error: { code: 6, message: 'the sender has a gap', data: '0x7' } } }
  expect((await sentBy({ sendSync: true })).outcome).toMatchObject({ kind: 'rejected', code: 'nonceGap' })
})

test('sends that wait for receipts have a request each, and beyond some the usual method follows at once', async () => {
  await using network = networkOver([node.url], { profile: { ...ethereumProfile, sendSync: true } })
  replies = { eth_sendRawTransaction: { error: { code: -32000, message: 'already known' } } }
  const held = Promise.withResolvers<void>()
  node.react({
    do: 'handle',
    each: async ({ method }) => {
      if (method === 'eth_sendRawTransactionSync') await held.promise
      return replyTo(method)
    },
  })
  const broadcast = network.chain.broadcast(signedMany)
  const sent = () => node.calls().filter(({ method }) => sends.includes(method))
  await until(() => sent().length === signedMany.length, { what: 'all to be sent' })
  const waits = node.requests.map(
    ({ calls }) => calls.filter(({ method }) => method === 'eth_sendRawTransactionSync').length,
  )
  expect(waits.filter((calls) => calls > 0)).toEqual(Array.from({ length: waitingMax }, () => 1))
  held.resolve()
  await broadcast
})

test('a gateway that has words of its own for a method that it lacks gets the usual one, and no other afterwards', async () => {
  await using network = networkOver([node.url], { profile: { ...ethereumProfile, sendSync: true } })
  const method = 'eth_sendRawTransactionSync'
  const unsupported = { error: { code: -32600, message: `Unsupported method: ${method} on ARB_MAINNET` } }
  replies = { ...replies, [method]: unsupported }
  for (const _ of [1, 2]) {
    expect((await network.chain.broadcast([signed])).get(signed.hash)).toEqual({ kind: 'accepted' })
  }
  expect(node.calls().flatMap((call) => (sends.includes(call.method) ? [call.method] : []))).toEqual([
    ...[method, 'eth_sendRawTransaction', 'eth_sendRawTransaction'],
  ])
})

test('after unknown words, no refusal by the usual method is certain', async () => {
  const method = 'eth_sendRawTransactionSync'
  replies = {
    [method]: { error: { code: -32603, message: 'something broke' } },
    eth_sendRawTransaction: { error: { code: -32000, message: 'insufficient funds for gas * price + value' } },
  }
  expect(await sentBy({ sendSync: true })).toMatchObject({
    ...{ methods: [method, 'eth_sendRawTransaction'], outcome: { kind: 'unknown', code: 'unrecognized' } },
  })
})

test('a gateway that refuses such a send by HTTP gets the usual one after three', async () => {
  await using network = networkOver([node.url], { profile: { ...ethereumProfile, sendSync: true } })
  node.react((request) =>
    request.calls.some(({ method }) => method === 'eth_sendRawTransactionSync')
      ? { do: 'say', status: 403, body: '<html>forbidden</html>' }
      : answering,
  )
  const outcomes: unknown[] = []
  for (let count = 0; count < 4; count += 1) {
    outcomes.push((await network.chain.broadcast([signed])).get(signed.hash)?.kind)
  }
  expect(outcomes).toEqual([...Array.from({ length: 3 }, () => 'unknown'), 'accepted'])
})

test('a node that lacks the method is not asked for it again', async () => {
  await using network = networkOver([node.url], { profile: { ...ethereumProfile, sendSync: true } })
  for (const _ of [1, 2]) await network.chain.broadcast([signed])
  expect(node.calls().flatMap(({ method }) => (sends.includes(method) ? [method] : []))).toEqual([
    ...['eth_sendRawTransactionSync', 'eth_sendRawTransaction', 'eth_sendRawTransaction'],
  ])
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
