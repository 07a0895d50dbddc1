// What calls show of an endpoint: heads, latencies, how calls end, for an hour.
import { expect, test } from 'vitest'
import type { Answer, SendCall } from '../../../src/chain/nodes/call.ts'
import { watchEndpoint } from '../../../src/chain/nodes/watch-endpoint.ts'
import { manualClock } from '../../support/manual-clock.ts'

const block = (number: number) => ({
  ...{ number: `0x${number.toString(16)}`, timestamp: '0x64', gasLimit: '0x1' },
  ...{ hash: `0x${'a'.repeat(64)}`, parentHash: `0x${'b'.repeat(64)}` },
})
const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] }

function watching(believed?: number) {
  const clock = manualClock()
  const watch = watchEndpoint({
    ...{ clock, redact: (text) => text.replaceAll('secret', '…'), believed: () => believed },
    called: () => undefined,
  })
  let next: () => Promise<Answer> = async () => ({ kind: 'value', value: null })
  const send: SendCall = watch.watched(() => next())
  return {
    clock,
    figures: watch.figures,
    async called(call: { method: string; params: readonly unknown[] }, answer: Answer, ms = 0) {
      next = async () => {
        clock.advance(ms)
        return answer
      }
      await send(call)
    },
  }
}

const value = (of: unknown): Answer => ({ kind: 'value', value: of })
const call = (method: string) => ({ method, params: [] })

test('heads, client and chain id are those of the last answers', async () => {
  const { clock, called, figures } = watching(12)
  await called(latest, value(block(10)))
  await called(call('eth_chainId'), value('0x5'))
  await called(call('web3_clientVersion'), value(`Geth/secret/${'x'.repeat(200)}`))
  expect(figures()).toMatchObject({
    chainId: 5,
    client: expect.stringMatching(/^Geth\/…\/x{80,90}$/),
    head: { number: 10, madeAt: 100_000, readAt: clock.now(), behind: 2 },
  })
  await called(latest, value(block(13)))
  expect(figures().head).toMatchObject({ number: 13, behind: 0 })
})

test.each([
  [latest, 'nonsense'],
  [latest, null],
  [{ ...latest, params: ['0x1', false] }, block(1)],
  [call('eth_chainId'), {}],
  [call('web3_clientVersion'), 7],
])('%j shows nothing by %j', async (call, shown) => {
  const { called, figures } = watching()
  await called(call, value(shown))
  const { head, chainId, client } = figures()
  expect([head, chainId, client]).toEqual([undefined, undefined, undefined])
})

test('calls are counted by their ends, for an hour', async () => {
  const { clock, called, figures } = watching()
  const begun = clock.now()
  await called(call('eth_call'), value(1))
  await called(call('eth_call'), { kind: 'rpcError', code: 3, message: 'execution reverted' })
  await called(latest, { kind: 'unknown', message: 'HTTP 503', status: 503 })
  await called(latest, { kind: 'unsent', message: 'no connection (ECONNREFUSED)' })
  expect(figures()).toMatchObject({
    calls: { since: begun, total: 4, rpcErrors: 1, unanswered: 1, unsent: 1 },
    lastRpcError: { method: 'eth_call', code: 3, words: 'execution reverted' },
    lastFailure: { at: begun, kind: 'unsent', words: 'no connection (ECONNREFUSED)' },
  })
  clock.advance(59 * 60_000)
  await called(call('eth_call'), value(1))
  expect(figures().calls).toMatchObject({ since: begun, total: 5 })
  clock.advance(60_000)
  expect(figures().calls).toEqual({ since: begun, total: 1, rpcErrors: 0, unanswered: 0, unsent: 0 })
  clock.advance(60_000)
  expect(figures().calls.since).toBe(begun + 60_000)
})

test('latencies are of the last 500 answers; a time-out is none', async () => {
  const { called, figures } = watching()
  expect(figures().latency).toBeUndefined()
  for (let ms = 1; ms <= 100; ms += 1) await called(call('eth_call'), value(1), ms)
  await called(call('eth_call'), { kind: 'unknown', message: 'no answer' }, 10_000)
  expect(figures().latency).toEqual({ p50Ms: 50, p95Ms: 95, calls: 100 })
  for (let count = 0; count < 500; count += 1) await called(call('eth_call'), value(1), 7)
  expect(figures().latency).toEqual({ p50Ms: 7, p95Ms: 7, calls: 500 })
})
