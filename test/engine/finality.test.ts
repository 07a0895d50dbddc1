// A real chain behind a line that says which block is final: confirmed, held up, taken back, and final at last.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verdictOn } from '../../src/domain/cancel.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import { statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { type Anvil, startAnvil } from '../../tooling/anvil.ts'
import { type RpcReply, type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { networkOver } from '../chain/network-under-test.ts'
import { somePolicy } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from './workplace.ts'

let anvil: Anvil
let line: RpcServer
let finalized: RpcReply
const missing: RpcReply = { error: { code: -39001, message: 'finalized block not found' } }

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  line = await startRpcServer({ forwardTo: anvil.url })
  line.react({
    do: 'answerSome',
    each: ({ method, params: [block] }) =>
      method === 'eth_getBlockByNumber' && block === 'finalized' ? finalized : undefined,
  })
})
afterAll(async () => {
  await line?.[Symbol.asyncDispose]()
  await anvil?.[Symbol.asyncDispose]()
})

const blockAt = async (block: string): Promise<RpcReply> => ({
  result: await anvil.rpc('eth_getBlockByNumber', [block, false]),
})

/** A relayer on that chain, whose verdicts follow the tag. */
async function openScene() {
  finalized = missing
  await anvil.mine(3)
  const place = await openWorkplace()
  // So long that no next head comes due, however slow the test is. Once one is due, a reading of the head also calls for the tag.
  const network = networkOver([line.url], { averageBlocktimeMs: 3_600_000 })
  const errors: string[] = []
  const logger = { ...quiet, error: (_: object, message: string) => void errors.push(message) }
  const context = {
    ...place.context,
    logger,
    chainOf: () => network.chain,
    policyOf: () => ({ ...somePolicy, finality: 'finalized' as const }),
  }
  const ownership = await place.own()
  const look = async (id: TransactionId): Promise<Transaction> => {
    let rest = await step(context, ownership, nothingUnknown, noneHanging)
    for (let again = 0; rest.againAfterMs === 0 && again < 5; again += 1)
      rest = await step(context, ownership, nothingUnknown, noneHanging)
    return place.read(id)
  }
  return {
    place,
    errors,
    look,
    async mineAndLook(id: TransactionId, blocks: number) {
      await anvil.mine(blocks)
      return look(id)
    },
    events: () => place.under.query('SELECT kind, status, terminal FROM outbox ORDER BY id'),
    tagCalls: () => line.calls('eth_getBlockByNumber').filter(({ params: [block] }) => block === 'finalized').length,
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('confirmed before it is final; a stall is a wait; a reorganization in between is an alarm', async () => {
  await using scene = await openScene()
  const { place, look, mineAndLook } = scene
  const id = await place.send()
  await look(id)
  expect(statusOf(await mineAndLook(id, 1))).toBe('mined')
  expect(scene.tagCalls()).toBe(0)
  const confirmed = await mineAndLook(id, 2)
  expect([statusOf(confirmed), confirmed.lifecycle.phase]).toEqual(['confirmed', 'mined'])
  expect((await mineAndLook(id, 1)).lifecycle.phase).toBe('mined')

  // The node has no finalized block at all.
  place.clock.advance(30 * 60_000)
  const stalled = await mineAndLook(id, 1)
  expect([statusOf(stalled), stalled.wait?.condition]).toEqual(['confirmed', 'finality_stalled'])

  await anvil.rpc('anvil_reorg', [5, []])
  const reopened = await mineAndLook(id, 1)
  expect([statusOf(reopened), reopened.wait]).toEqual(['submitted', undefined])
  expect(reopened.statusReason).toMatch(/after it had the required confirmations/)
  expect(scene.errors).toEqual(['a reorganization took back a confirmed transaction'])
  expect(await scene.events()).toMatchObject([
    { kind: 'update', status: 'sent' },
    { kind: 'update', status: 'submitted' },
    { kind: 'update', status: 'mined' },
    { kind: 'update', status: 'confirmed', terminal: 0 },
    { kind: 'attention', status: 'confirmed', terminal: 0 },
    { kind: 'update', status: 'submitted', terminal: 0 },
    { kind: 'alarm', status: 'submitted', terminal: 0 },
  ])

  // anvil's pool does not take back what a reorganization removed.
  place.clock.advance(60 * 60_000)
  await look(id)
  await mineAndLook(id, 1)
  expect(statusOf(await mineAndLook(id, 3))).toBe('confirmed')
  finalized = await blockAt('latest')
  const final = await mineAndLook(id, 1)
  expect([statusOf(final), final.lifecycle.phase, final.wait]).toEqual(['confirmed', 'final', undefined])
  expect((await scene.events()).slice(-2)).toMatchObject([
    { kind: 'update', status: 'confirmed', terminal: 0 },
    { kind: 'update', status: 'confirmed', terminal: 1 },
  ])
})

test('a won cancellation is safe to retry once the tag has passed it, and not before', async () => {
  await using scene = await openScene()
  const { place, look, mineAndLook } = scene
  const id = await place.send()
  await look(id)
  await place.cancel(id)
  await look(id)
  const before = await blockAt('latest')
  await mineAndLook(id, 1)
  finalized = before
  line.forget()
  const confirmed = await mineAndLook(id, 9)
  expect(verdictOn(confirmed)).toMatchObject({ state: 'won', final: false, safeToRetry: false })
  // One call at each head, though a step looked twice at this one.
  expect(scene.tagCalls()).toBe(1)
  await look(id)
  expect(scene.tagCalls()).toBe(1)
  finalized = await blockAt('latest')
  expect(verdictOn(await mineAndLook(id, 1))).toMatchObject({ state: 'won', final: true, safeToRetry: true })
  expect(scene.tagCalls()).toBe(2)
  expect((await scene.events()).slice(-1)).toMatchObject([{ status: 'canceled', terminal: 1 }])
  expect(scene.errors).toEqual([])
})
