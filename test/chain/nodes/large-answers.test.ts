// Large answers: which are refused before parsing, what a thread keeps of the rest, and what one costs the others.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { batchCalls } from '../../../src/chain/nodes/batch-calls.ts'
import { openByteBudget, openShare } from '../../../src/chain/nodes/byte-budget.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import { openCallLanes } from '../../../src/chain/nodes/call-lanes.ts'
import { answerLimits } from '../../../src/chain/nodes/expected-answer.ts'
import { implausible } from '../../../src/chain/nodes/implausible.ts'
import { type LargeAnswers, openLargeAnswers } from '../../../src/chain/nodes/large-answers.ts'
import { redactor } from '../../../src/chain/nodes/redact.ts'
import { startLargeAnswerThread } from '../../../src/chain/nodes/start-large-answer-thread.ts'
import { openTransport, type Transport } from '../../../src/chain/nodes/transport.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'

const mib = 1024 * 1024
const hash = `0x${'ab'.repeat(32)}`
const account = `0x${'11'.repeat(20)}` as const
const receiptOf = (nonce: number): Call => ({
  method: 'eth_getTransactionReceipt',
  params: [`0x${nonce.toString(16).padStart(64, '0')}`],
})
const nonce: Call = { method: 'eth_getTransactionCount', params: [account, 'latest'] }

let server: RpcServer
let large: LargeAnswers
let opened: Transport[] = []
let health: boolean[] = []

beforeAll(async () => {
  server = await startRpcServer()
  large = openLargeAnswers(systemClock, startLargeAnswerThread)
})
afterEach(async () => {
  server.forget()
  health = []
  await Promise.all(opened.splice(0).map((transport) => transport.close()))
  opened = []
})
afterAll(async () => {
  await server.stop()
  await large.close()
})

function calls(): (call: Call) => Promise<Answer> {
  const transport = openTransport({ url: server.url, clock: systemClock, timeoutMs: 90_000, large })
  opened.push(transport)
  const heard = (well: boolean) => void health.push(well)
  return batchCalls({ transport, clock: systemClock, heard, sized: () => undefined })
}

const inRequests = () => server.requests.map((request) => request.calls.map(({ method }) => method))
const answering = (each: (call: RpcCall) => RpcReply | undefined) => server.react({ do: 'answer', each })

describe('structure', () => {
  const bytesOf = (text: string) => Buffer.from(text)

  test.each([
    ['more members than calls', `[${'1,'.repeat(3)}1]`, 3],
    ['nested too deeply', `${'['.repeat(40)}${']'.repeat(40)}`, 1],
    ['too many brackets and commas', `{"result":[${'{},'.repeat(100_000)}{}]}`, 1],
  ])('%s: refused', (words, text, allowed) => {
    expect(implausible(bytesOf(text), allowed)).toContain(words)
  })

  test('a block of transfers and a receipt of empty logs, the densest of real answers, may be parsed', () => {
    const log = {
      address: account,
      topics: [hash],
      data: '0x',
      blockNumber: '0x1',
      transactionHash: hash,
      logIndex: '0x0',
    }
    const result = { blockHash: hash, logs: Array.from({ length: 5_000 }, () => log) }
    expect(implausible(bytesOf(JSON.stringify({ jsonrpc: '2.0', id: 1, result })), 1)).toBeUndefined()
  })
})

describe('a lone answer', () => {
  test.each<[string, Call, (bytes: number) => RpcReply]>([
    ['a result of 31 MiB', nonce, (bytes) => ({ result: 'x'.repeat(bytes) })],
    ['an error of 31 MiB', nonce, (bytes) => ({ error: { code: -32000, message: 'http://x '.repeat(bytes / 9) } })],
    ['a result above the limit of its method', nonce, () => ({ result: 'x'.repeat(20_000) })],
  ])('%s is unknown, and a failure of the endpoint', async (_, call, reply) => {
    const body = reply(31 * mib)
    answering(() => body)
    expect(await calls()(call)).toMatchObject({ kind: 'unknown', isTooLarge: true })
    expect(health).toEqual([false])
  })

  test('a receipt of megabytes is read without its logs', async () => {
    const logs = Array.from({ length: 20_000 }, () => ({ address: account, topics: [hash, hash], data: hash }))
    answering(() => ({ result: { transactionHash: hash, status: '0x1', logsBloom: hash, logs } }))
    expect(await calls()(receiptOf(1))).toEqual({
      kind: 'value',
      value: { transactionHash: hash, status: '0x1', logs: [{}] },
    })
    expect(health).toEqual([true])
  })

  test('the receipts of a large block are read without their logs', async () => {
    const log = { address: account, topics: [hash, hash], data: hash }
    const receipt = { transactionHash: hash, status: '0x1', logsBloom: hash }
    const result = Array.from({ length: 1_000 }, () => ({ ...receipt, logs: [log, log, log] }))
    answering(() => ({ result }))
    const kept = { transactionHash: hash, status: '0x1', logs: [{}] }
    const value = Array.from({ length: 1_000 }, () => kept)
    expect(await calls()({ method: 'eth_getBlockReceipts', params: ['0x1'] })).toEqual({ kind: 'value', value })
  })

  test('a receipt above the limit is unknown, and no failure of the endpoint: its payload made it so', async () => {
    const logs = ['x'.repeat(answerLimits.largestBytes)]
    answering(() => ({ result: { transactionHash: hash, logs } }))
    expect(await calls()(receiptOf(1))).toMatchObject({ kind: 'unknown', isTooLarge: true })
    expect(health).toEqual([])
  })

  test('of a large block, the transactions and authorizations that were sought are kept', async () => {
    const other = `0x${'22'.repeat(20)}`
    const of = (from: string, at: number, more: object = {}) => ({ hash, from, nonce: `0x${at.toString(16)}`, ...more })
    const authorizations = [{ nonce: '0x5' }, { nonce: '0x9' }]
    const transactions = [
      of(account, 5, { input: '0x' }),
      of(account, 6),
      of(other, 5, { input: '0x', authorizationList: authorizations }),
      ...Array.from({ length: 5_000 }, () => of(other, 5, { input: hash })),
    ]
    answering(() => ({ result: { number: '0x1', transactions } }))
    const seeks = { account, from: 5, through: 5 }
    expect(await calls()({ method: 'eth_getBlockByNumber', params: ['0x1', true], seeks })).toEqual({
      kind: 'value',
      value: {
        number: '0x1',
        transactions: [of(account, 5, { input: '0x' }), of(other, 5, { authorizationList: [{ nonce: '0x5' }] })],
      },
    })
  })

  test('of a revert with a megabyte of text, the beginning is kept', async () => {
    const data = `0x${'61'.repeat(mib)}`
    answering(() => ({ error: { code: 3, message: `execution reverted: ${'a'.repeat(mib)}`, data } }))
    const answer = await calls()({ method: 'eth_estimateGas', params: [{ from: account }] })
    expect(answer).toMatchObject({ kind: 'rpcError', code: 3, data: data.slice(0, answerLimits.keptErrorChars) })
  })

  test('an answer that would take all memory is refused, and the next large answer is read', async () => {
    const call = calls()
    const dense = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }).replace('{}}', `[${'{},'.repeat(3 * mib)}{}]}`)
    server.react({ do: 'say', body: dense })
    expect(await call(receiptOf(1))).toMatchObject({ kind: 'unknown' })
    answering(() => ({ result: { transactionHash: hash, logs: ['x'.repeat(mib)] } }))
    expect(await call(receiptOf(1))).toMatchObject({ kind: 'value' })
  })

  test.each([{}, null, { code: 0, message: '' }])('a result beside an empty error (%j) is a result', async (error) => {
    server.react(({ calls: [call] }) => ({
      do: 'say',
      body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: '0x1', error }),
    }))
    expect(await calls()(nonce)).toEqual({ kind: 'value', value: '0x1' })
    expect(health).toEqual([true])
  })
})

describe('a batch', () => {
  test('the receipts of a block have a request of their own', async () => {
    answering(() => ({ result: null }))
    const send = calls()
    const blocks = ['0x1', '0x2'].map((number) => ({ method: 'eth_getBlockReceipts', params: [number] }))
    await Promise.all([...blocks, nonce, receiptOf(1)].map(send))
    const small = ['eth_getTransactionCount', 'eth_getTransactionReceipt']
    expect(inRequests().sort()).toEqual([['eth_getBlockReceipts'], ['eth_getBlockReceipts'], small])
  })

  test('calls that a payload shapes leave alone, also beside others of one turn', async () => {
    answering(() => ({ result: '0x1' }))
    const call = calls()
    const shaped = ['eth_estimateGas', 'eth_call', 'debug_traceCall', 'eth_createAccessList'].map((method) => ({
      method,
      params: [{ from: account }],
    }))
    await Promise.all([nonce, ...shaped, nonce].map(call))
    expect(inRequests().toSorted((one, other) => other.length - one.length)).toEqual([
      [nonce.method, nonce.method],
      ...shaped.map(({ method }) => [method]),
    ])
  })

  test('an answer that is too large for the limit is split until only the large receipt is unknown', async () => {
    const huge = receiptOf(3)
    answering(({ params }) => ({
      result:
        params[0] === huge.params[0] ? { logs: 'x'.repeat(answerLimits.largestBytes) } : { transactionHash: params[0] },
    }))
    const call = calls()
    const round = () => Promise.all([nonce, ...[1, 2, 3, 4].map(receiptOf)].map(call))
    expect((await round()).map(({ kind }) => kind)).toEqual(['value', 'value', 'value', 'unknown', 'value'])
    expect(health).not.toContain(false)
    server.forget()
    expect((await round()).map(({ kind }) => kind)).toEqual(['value', 'value', 'value', 'unknown', 'value'])
    expect(server.requests.map((request) => request.calls.length).toSorted()).toEqual([1, 4])
  })

  test.each([-32003, -32008, -32011])('a node that calls it too large (%i) gets halves', async (code) => {
    server.react((request) =>
      request.calls.length > 2
        ? { do: 'answer', each: () => ({ error: { code, message: 'response too large' } }) }
        : { do: 'answer', each: ({ params }) => ({ result: params[0] }) },
    )
    const answers = await Promise.all([1, 2, 3, 4, 5].map(receiptOf).map(calls()))
    expect(answers.map(({ kind }) => kind)).toEqual(['value', 'value', 'value', 'value', 'value'])
    expect(health).not.toContain(false)
  })

  test('small answers above their limit are a failure, and are not repeated', async () => {
    answering(() => ({ result: 'x'.repeat(mib) }))
    const answers = await Promise.all([nonce, nonce, nonce].map(calls()))
    expect(answers.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(server.requests).toHaveLength(1)
    expect(health).toEqual([false])
  })

  test.each<[string, (request: { calls: readonly RpcCall[] }) => string]>([
    ['only its first call is answered', ({ calls: [first] }) => JSON.stringify([{ id: first?.id, result: '0x1' }])],
    ['it has no body', () => ''],
  ])('%s: after the second time, calls go out singly', async (_, bodyOf) => {
    server.react((request) =>
      request.batch ? { do: 'say', body: bodyOf(request) } : { do: 'answer', each: () => ({ result: '0x1' }) },
    )
    const call = calls()
    const round = () => Promise.all([nonce, nonce, nonce].map(call))
    expect((await round()).map(({ kind }) => kind)).toContain('unknown')
    for (const _again of [1, 2]) {
      expect((await round()).map(({ kind }) => kind)).toEqual(['value', 'value', 'value'])
    }
    expect(server.requests.filter(({ batch }) => batch)).toHaveLength(2)
  })
})

describe('calls under way', () => {
  const never = new AbortController().signal

  test('bytes above the budget wait, first come, first served, and not for ever', async () => {
    const budget = openByteBudget(10)
    const giveBack = await budget.take(8, never)
    const order: string[] = []
    const next = budget.take(5, never).then((give) => {
      order.push('next')
      return give
    })
    const small = budget.take(2, never).then(() => order.push('small'))
    const late = new AbortController()
    const gone = budget.take(20, late.signal).then(() => order.push('gone'))
    await Promise.resolve()
    expect(order).toEqual([])
    late.abort()
    await gone
    giveBack()
    await Promise.all([next, small])
    expect(order).toEqual(['gone', 'next', 'small'])
  })

  test('one endpoint leaves a part of the budget to the others', async () => {
    const budget = openByteBudget(30)
    const [one, other] = [openShare(budget, 10), openShare(budget, 10)]
    await one.take(10, never)
    let isBlocked = true
    void one.take(1, never).then(() => {
      isBlocked = false
    })
    await other.take(10, never)
    expect(isBlocked).toBe(true)
  })

  test('eight calls that payloads shape, and four of one account', async () => {
    const lanes = openCallLanes()
    const begun: string[] = []
    const hold = Promise.withResolvers<void>()
    const from = (sender: string) => ({ method: 'eth_call', params: [{ from: sender }] })
    const started = ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'c', 'c', 'd'].map((sender) =>
      lanes.run(from(sender), async () => {
        begun.push(sender)
        await hold.promise
      }),
    )
    await new Promise(setImmediate)
    expect(begun.join('')).toBe('aaaabccc')
    hold.resolve()
    await Promise.all(started)
    expect(begun).toHaveLength(10)
  })
})

describe('a text that is cut before it is searched', () => {
  const secret = 'secret-0123456789abcdef'
  const redact = redactor(new URL(`https://node.example.org/${secret}`))

  test('shows no part of a secret that the cut divides', () => {
    // Every place of the cut, within texts that shrink to less than the shown part.
    for (let shift = 0; shift < secret.length; shift += 1) {
      const text = `${'x'.repeat(shift)}${secret.repeat(400)}`
      expect(redact(text)).not.toMatch(/secr|0123|cdef/)
    }
  })
})
