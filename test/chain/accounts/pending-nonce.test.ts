// The pool's count: by another endpoint where the first does not show its pool, and nobody's where none does.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Reaction, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, networkOver, signedBy } from '../network-under-test.ts'

const sender = devAccount(0)
let anvil: Anvil
let servers: readonly [RpcServer, RpcServer]

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  servers = [await startRpcServer({ forwardTo: anvil.url }), await startRpcServer({ forwardTo: anvil.url })]
})
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()))
  await anvil?.stop()
})

const hidesPool: Reaction = {
  do: 'answerSome',
  each: ({ method, params }) =>
    method === 'eth_getTransactionCount' && params[1] === 'pending'
      ? { error: { code: -32602, message: 'pending is not supported' } }
      : undefined,
}

test('an endpoint that shows its pool answers for one that does not; where none does, the rest is still returned', async () => {
  const [first, second] = servers
  await using network = networkOver([first.url, second.url])
  await network.chain.broadcast([await signedBy(sender.key, { nonce: 0 })])
  const look = () => network.chain.observe(inquiryOf(sender.address, { pendingNonce: true }))
  for (const [hides, shows] of [
    [first, second],
    [second, first],
  ] as const) {
    hides.react(hidesPool)
    shows.react({ do: 'forward' })
    expect(await look()).toMatchObject({ nonce: 0, pendingNonce: 1 })
  }
  for (const server of servers) server.react(hidesPool)
  const unseen = await look()
  expect(unseen).toMatchObject({ nonce: 0 })
  expect(unseen.pendingNonce).toBeUndefined()
})

test('no other endpoint is called where the first shows its pool', async () => {
  for (const server of servers) server.react({ do: 'forward' })
  await using network = networkOver(servers.map(({ url }) => url))
  await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true }))
  expect(network.count('eth_getTransactionCount')).toBe(2)
})
