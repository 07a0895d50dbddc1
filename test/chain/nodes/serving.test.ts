// A gateway that routes to another chain: it is found out by a head that links to nothing, and by a refusal.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecordedContradiction } from '../../../src/domain/contradiction.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { eventually, inquiryOf, networkOver, signedBy } from '../network-under-test.ts'

const { key, address } = devAccount(0)
let right: Anvil
let wrong: Anvil
let gateway: RpcServer

beforeAll(async () => {
  right = await startAnvil({ mining: 'manual' })
  // By the base fee its blocks differ, even where both chains begin in the same second.
  wrong = await startAnvil({ mining: 'manual', chainId: 4_242, baseFee: 2_000_000_000n })
  gateway = await startRpcServer({ forwardTo: right.url })
  await right.mine(5)
})
afterAll(async () => {
  await gateway?.stop()
  await Promise.all([right?.stop(), wrong?.stop()])
})

const misroute = () => gateway.react({ do: 'forwardTo', url: wrong.url })
const putRight = () => gateway.react({ do: 'forward' })

test.each([
  ['higher', 60],
  ['lower', 0],
])('a %s head of another chain is not adopted, and the endpoint is back by itself', async (_, blocks) => {
  if (blocks > 0) await wrong.mine(blocks)
  else await right.mine(200)
  const kept: RecordedContradiction[] = []
  const save = async (each: RecordedContradiction) => void kept.push(each)
  await using network = networkOver([`${gateway.url}/v3/a-key`], { contradictionMemory: { save } })
  const before = (await network.chain.observe(inquiryOf(address))).head
  misroute()
  await expect(network.chain.observe(inquiryOf(address))).rejects.toThrow('serves chain 4242, not 31337')
  expect(network.chain.wrongChains()).toEqual([{ endpoint: 0, text: 'serves chain 4242, not 31337' }])
  expect(await network.chain.check()).toEqual(['wrongChain'])
  const raw = await signedBy(key, { nonce: 0 })
  expect([...(await network.chain.broadcast([raw])).values()]).toMatchObject([{ kind: 'unsent' }])
  putRight()
  await eventually(() => network.chain.check().then(([state]) => state === 'ok'), 'the end')
  expect(network.chain.wrongChains()).toEqual([])
  expect((await network.chain.observe(inquiryOf(address))).head).toEqual(before)
  const logged = network.log.filter(({ message }) => message.includes('chain')).map(({ level }) => level)
  expect(logged).toEqual(['error', 'info'])
  const answers = [{ endpoint: 0, host: new URL(gateway.url).host, answer: '{"chain_id":4242}' }]
  expect(kept).toMatchObject([{ condition: 'wrong_chain', question: { chainId: 31_337 }, answers }])
})

test('a head that links to the one before costs no chain id', async () => {
  await using network = networkOver([gateway.url])
  await network.chain.observe(inquiryOf(address))
  network.forget()
  for (let round = 0; round < 5; round += 1) {
    await right.mine(round + 1)
    await network.chain.observe(inquiryOf(address))
  }
  expect(network.count('eth_chainId')).toBe(0)
})

test('a refusal that mentions the chain id: what the other chain says of our bytes counts for nothing', async () => {
  await using network = networkOver([gateway.url])
  await network.chain.observe(inquiryOf(address))
  misroute()
  const signed = await signedBy(key, { nonce: 0 })
  expect([...(await network.chain.broadcast([signed])).values()]).toEqual([
    { kind: 'unknown', message: 'serves chain 4242, not 31337' },
  ])
  const sends = gateway.calls('eth_sendRawTransaction').length
  expect([...(await network.chain.broadcast([signed])).values()]).toMatchObject([{ kind: 'unsent' }])
  expect(gateway.calls('eth_sendRawTransaction')).toHaveLength(sends)
  putRight()
})
