// A nonce that nothing of ours uses, below one that is in flight: it is filled once, also where nodes make that hard.
import { randomBytes } from 'node:crypto'
import { getAddress, parseTransaction } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { same } from '../../tooling/ledger.ts'
import type { RpcCall, RpcReply } from '../../tooling/rpc-server.ts'
import { audit } from './support/audit.ts'
import { cancel, holdBeforeSend, inPool, mineUntil, type Payment, pay, reached, view } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: { plain: {}, again: {}, relieved: {}, killed: {}, unseen: {}, queued: {} },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())
beforeEach(() => stage.line.open())

const tooLittle: RpcReply = { error: { code: -32000, message: 'intrinsic gas too low' } }

/** What the client of these tests names, and what the node wants of every transaction but where a test says otherwise. */
const gas = { tooLittle: 21_000, enough: 30_000 }

function transactionIn({ method, params }: RpcCall) {
  return method === 'eth_sendRawTransaction' ? parseTransaction(params[0] as `0x${string}`) : undefined
}

const isNoOp = (sender: Sender, { to, value = 0n }: { to?: unknown; value?: bigint | undefined }) =>
  same(String(to), sender.address) && value === 0n

/** As on a chain that charges for more than execution: 21,000 gas are too little for a payload, and for a no-op. */
function refuseAll(call: RpcCall): RpcReply | undefined {
  return transactionIn(call)?.gas === BigInt(gas.tooLittle) ? tooLittle : undefined
}

function refusePayloads(sender: Sender): Manners {
  return (call) => {
    const transaction = transactionIn(call)
    return transaction && !isNoOp(sender, transaction) ? refuseAll(call) : undefined
  }
}

/** Sent at once, so that they get their nonces in one step. */
async function sendTwo(sender: Sender): Promise<readonly [Payment, Payment]> {
  const transactions = [gas.tooLittle, gas.enough].map((gasLimit) => {
    return { to: getAddress(`0x${randomBytes(20).toString('hex')}`), value: '1', gas_limit: gasLimit, speed: 'average' }
  })
  const path = `/relayers/${sender.id}/transactions/batch`
  const { body } = await stage.client.request('POST', path, { body: { transactions } })
  const sent = (body as { data: readonly { id: string }[] }).data
  const payments = sent.map(({ id }, index) => ({ sender, id, to: transactions[index]?.to ?? '', value: 1n }))
  return payments as unknown as readonly [Payment, Payment]
}

type Manners = (call: RpcCall) => RpcReply | undefined

/** Behind a gap: the transaction below it was canceled while no node could be reached. */
async function behindAGap(sender: Sender, each: Manners): Promise<Payment> {
  stage.line.cutBeforeSend(sender.address)
  const [dropped, behind] = await sendTwo(sender)
  await holdBeforeSend(stage, sender, [behind])
  await cancel(stage, dropped)
  expect(stage.rows.transaction(dropped.id)).toMatchObject({ open: 0, nonce: null })
  await stage.line.mend()
  stage.line.onRequest(() => ({ do: 'answerSome', each }))
  return behind
}

const gapFillersOf = (sender: Sender) => stage.rows.transactionsOf(sender.id).filter(({ origin }) => origin === 'gap')

/** How often each no-op was broadcast, by its bytes. */
function broadcasts(sender: Sender): readonly number[] {
  const noOps = stage.line.sent().filter((raw) => isNoOp(sender, parseTransaction(raw as `0x${string}`)))
  return [...Map.groupBy(noOps, (raw) => raw).values()].map(({ length }) => length)
}

async function triedAgain(sender: Sender, times: number): Promise<void> {
  const total = () => broadcasts(sender).reduce((sum, each) => sum + each, 0)
  // The pauses grow, and they follow the measured pace of the blocks.
  const what = () => `${times} broadcasts\n${stage.service.logs().slice(-3000)}`
  await until(() => total() >= times, { what, limitMs: 120_000 })
}

test('a payload that the node refuses, ahead of one that it takes: a no-op takes its nonce, and then it has failed', async () => {
  const sender = stage.sender('plain')
  stage.line.onRequest(() => ({ do: 'answerSome', each: refusePayloads(sender) }))
  const [refused, taken] = await sendTwo(sender)
  await inPool(stage, sender, [1])
  // The pool has the second one before the answers to both are on record.
  await reached(stage, refused, 'submitted')
  await mineUntil(stage, 'both ends', async () => {
    const views = await Promise.all([refused, taken].map((payment) => view(stage, payment)))
    return views.every(({ status }) => status === 'failed' || status === 'confirmed')
  })
  expect((await audit(stage, sender)).map(({ nonce }) => nonce)).toEqual([0, 1])
  expect(gapFillersOf(sender)).toEqual([])
  expect(await view(stage, refused)).toMatchObject({ status: 'failed' })
  expect(await view(stage, taken)).toMatchObject({ status: 'confirmed' })
})

test('where the node refuses the no-op as well, it is tried again and not made anew, and what waits says why', async () => {
  const sender = stage.sender('again')
  const taken = await behindAGap(sender, refuseAll)
  await triedAgain(sender, 3)
  expect(broadcasts(sender)).toHaveLength(1)
  expect(gapFillersOf(sender)).toHaveLength(1)
  const reported =
    'waits: nonce 0 comes first, and the node refuses the no-op that would fill it: intrinsic gas too low'
  await until(async () => (await view(stage, taken)).status_reason?.startsWith(reported), { what: 'what it waits for' })
  expect(gapFillersOf(sender)).toMatchObject([{ open: 1, nonce: 0, wait_condition: 'node_refuses' }])

  stage.line.open()
  await triedAgain(sender, 4)
  await inPool(stage, sender, [0, 1])
  await audit(stage, sender)
  expect(gapFillersOf(sender)).toMatchObject([{ status: 'confirmed' }])
})

test('the next transaction leaves the nonce to a refused no-op, and all are executed once the node takes it', async () => {
  const sender = stage.sender('relieved')
  await behindAGap(sender, refuseAll)
  await triedAgain(sender, 2)
  const next = await pay(stage, sender, { gas_limit: gas.enough })
  await inPool(stage, sender, [1, 2])
  expect((await reached(stage, next, 'submitted')).nonce).toBe(2)
  stage.line.open()
  await inPool(stage, sender, [0, 1, 2])
  expect(await audit(stage, sender)).toHaveLength(3)
  expect(gapFillersOf(sender)).toMatchObject([{ status: 'confirmed', nonce: 0 }])
})

const noPool: RpcReply = { error: { code: -32602, message: 'pending block is not available' } }
const hidesPool = ({ method, params }: RpcCall) =>
  method === 'eth_getTransactionCount' && params[1] === 'pending' ? noPool : undefined

test('a node that does not count its pool: the gap is reported, and filled after a while', async () => {
  const sender = stage.sender('unseen')
  const taken = await behindAGap(sender, hidesPool)
  await until(async () => (await view(stage, taken)).status_reason?.includes('no node shows its pool'), {
    what: () => `what it waits for\n${stage.service.logs().slice(-3000)}`,
  })
  expect((await view(stage, taken)).status_reason).toMatch(/^waits: nonce 0 comes first and is unused/)
  expect(gapFillersOf(sender)).toEqual([])
  await mineUntil(stage, 'the payment behind the gap', async () => (await view(stage, taken)).status === 'confirmed')
  await audit(stage, sender)
  expect(gapFillersOf(sender)).toMatchObject([{ status: 'confirmed', nonce: 0 }])
})

test('likewise with a queue: its first transaction takes the missing nonce, after a while, and none is stuck', async () => {
  const sender = stage.sender('queued')
  const taken = await behindAGap(sender, hidesPool)
  await until(async () => (await view(stage, taken)).status_reason?.includes('no node shows its pool'), {
    what: () => `what it waits for\n${stage.service.logs().slice(-3000)}`,
  })
  const next = [
    await pay(stage, sender, { gas_limit: gas.enough }),
    await pay(stage, sender, { gas_limit: gas.enough }),
  ] as const
  await until(async () => (await view(stage, next[0])).status_reason?.includes('no node shows its pool'), {
    what: () => `what the queue waits for\n${stage.service.logs().slice(-3000)}`,
  })
  await mineUntil(stage, 'all of them', async () => {
    const views = await Promise.all([taken, ...next].map((payment) => view(stage, payment)))
    return views.every(({ status }) => status === 'confirmed')
  })
  expect((await view(stage, next[0])).nonce).toBe(0)
  expect(await audit(stage, sender)).toHaveLength(3)
  expect(gapFillersOf(sender)).toEqual([])
})

// The last one: after its restart all accounts are read again.
test('kill -9: the no-op that was refused before is tried again, and no other is made', async () => {
  const sender = stage.sender('killed')
  await behindAGap(sender, refuseAll)
  await triedAgain(sender, 2)
  await until(() => stage.rows.attempts(gapFillersOf(sender)[0]?.id ?? '')[0]?.outcome_code === 'invalid', {
    what: 'the refusal on record',
  })
  await stage.service.kill9()
  stage.line.open()
  await stage.service.restart()
  await inPool(stage, sender, [0, 1])
  expect(broadcasts(sender)).toHaveLength(1)
  await audit(stage, sender)
  expect(gapFillersOf(sender)).toHaveLength(1)
})
