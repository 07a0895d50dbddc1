// A refusal for the price is one endpoint's word: the others are offered the bytes, and what one of them holds is not refused.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type Reaction, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver, signedBy } from '../network-under-test.ts'

const signed = await signedBy(devAccount(0).key, { nonce: 0 })
const words = ['replacement transaction underpriced', 'transaction underpriced: tip needed 2, tip permitted 1']

let one: RpcServer
let other: RpcServer
beforeAll(async () => {
  one = await startRpcServer()
  other = await startRpcServer()
})
afterAll(async () => {
  for (const server of [one, other]) await server?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  for (const server of [one, other]) server.react(takes)
})

const answersSends = (reply: object): Reaction => ({
  do: 'answer',
  each: ({ method }) => (method === 'eth_sendRawTransaction' ? reply : { result: '0x7a69' }) as { result: string },
})
const takes = answersSends({ result: signed.hash })
const refuses = (message: string) => answersSends({ error: { code: -32000, message } })

async function outcomeOf(network: ReturnType<typeof networkOver>) {
  return (await network.chain.broadcast([signed])).get(signed.hash)
}

test.each(words)('"%s" counts only while no other endpoint holds the bytes', async (message) => {
  await using network = networkOver([one.url, other.url])
  one.react(refuses(message))
  // The endpoints take turns: one of two broadcasts begins at the one that refuses.
  for (let turn = 0; turn < 2; turn += 1) expect(await outcomeOf(network)).toEqual({ kind: 'accepted' })
  other.react(answersSends({ error: { code: -32000, message: 'already known' } }))
  for (let turn = 0; turn < 2; turn += 1) expect(await outcomeOf(network)).toEqual({ kind: 'alreadyKnown' })
  other.react(refuses(message))
  expect(await outcomeOf(network)).toMatchObject({ kind: 'rejected' })
})

test('it waits for no endpoint that fails', async () => {
  // Waiting for it would take longer than a test may.
  await using network = networkOver([one.url, other.url], { timeoutMs: 120_000 })
  one.react({ do: 'drop' })
  other.react(refuses('transaction underpriced'))
  for (let turn = 0; turn < 2; turn += 1) await network.chain.balance(devAccount(0).address)
  one.react({ do: 'ignore' })
  expect(await outcomeOf(network)).toMatchObject({ kind: 'rejected', code: 'feeTooLow' })
})
