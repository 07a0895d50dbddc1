// How far an account came without its record: by every pool that can be asked, each time until no more can show.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PastReach } from '../../src/domain/past.ts'
import { type Anvil, devAccount, startAnvil } from '../support/anvil.ts'
import { type Reaction, type RpcServer, startRpcServer } from '../support/rpc-server.ts'
import { envelopeBy, inquiryOf, networkOver } from './network-under-test.ts'

const sender = devAccount(0)
let anvil: Anvil
let one: RpcServer
let other: RpcServer

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  one = await startRpcServer({ forwardTo: anvil.url })
  other = await startRpcServer({ forwardTo: anvil.url })
})
afterAll(async () => {
  await Promise.all([one?.stop(), other?.stop()])
  await anvil?.stop()
})

const lacksThePool: Reaction = { do: 'forwardBut', method: 'eth_getTransactionCount', reply: { result: '0x0' } }

test('a pool that could not be asked at first is asked again, and what was seen stays, until that is whole', async () => {
  await using network = networkOver([one.url, other.url])
  await network.chain.broadcast([await envelopeBy(sender.key, { nonce: 0 })])
  const look = async (seen?: PastReach) => {
    const past = { from: 0, explained: new Set<number>(), since: 0, confirmations: 3, ...(seen && { seen }) }
    return (await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, past }))).past?.below
  }
  const seen = { below: 0, at: 0, isWhole: false }

  one.react(lacksThePool)
  other.react({ do: 'say', status: 500, body: '' })
  expect(await look()).toBe(0)
  one.react({ do: 'forward' })
  expect(await look({ ...seen, isWhole: true })).toBe(0)
  expect(await look(seen)).toBe(1)
  one.react(lacksThePool)
  expect(await look({ ...seen, below: 1 })).toBe(1)
})
