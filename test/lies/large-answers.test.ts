// A node whose answers are huge: it costs the service its own answers, and no more.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import { lieAbout } from '../../tooling/lying-node.ts'
import { cancel, inPool, mineUntil, pay, reached, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

const mib = 1024 * 1024
const bodies = [
  ['a result', JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(31 * mib) })],
  [
    'an error',
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'http://x '.repeat(3.4 * mib) } }),
  ],
  ['brackets', `{"jsonrpc":"2.0","id":1,"result":[${'[],'.repeat(10 * mib)}[]]}`],
] as const

const isHealthy = async ({ service }: LyingStage) => (await fetch(`${service.url}/api/v1/health`)).status

test.each(seats.flatMap((seat) => bodies.map(([what, body]) => [seat, what, body] as const)))(
  '%s answers every request with %s of 31 MiB: the process answers meanwhile, and the cancellation ends with a true verdict',
  async (seat, _, body) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    stage.liar.bend(() => ({ do: 'say', body }))
    await cancel(stage, payment)
    // Alone, it gives no answer that could be used, so nothing ends before it answers again.
    if (seat === 'the only one') {
      await mineUntil(stage, 'twenty huge answers', () => stage.liar.lies() >= 20)
      expect((await stage.client.cancellation('one', payment.id)).final).toBe(false)
      expect(await isHealthy(stage)).toBe(200)
      stage.liar.repent()
    }
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    expect(await isHealthy(stage)).toBe(200)
    const { state, winner } = await verdict(stage, payment, ({ final }) => final)
    const [mined] = await minedFrom(stage.node, sender.address)
    expect({ state, hash: winner?.hash }).toEqual({ state: mined?.value === 0n ? 'won' : 'lost', hash: mined?.hash })
    expect(stage.liar.lies(), 'huge answers').toBeGreaterThan(0)
  },
)

test.each(seats)(
  '%s shows every receipt with more logs than the limit: the block proves the inclusion, and the transaction ends',
  async (seat) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const logs = ['x'.repeat(25 * mib)]
    stage.liar.lie(
      lieAbout('eth_getTransactionReceipt', (receipt) => (receipt ? { ...(receipt as object), logs } : receipt)),
    )
    const payment = await pay(stage, stage.sender('one'))
    await mineUntil(stage, 'the transaction to end', () => stage.rows.transaction(payment.id).phase === 'final')
    const { hash, status, status_reason: reason } = await view(stage, payment)
    const [mined] = await minedFrom(stage.node, stage.sender('one').address)
    expect(hash).toBe(mined?.hash)
    // Another endpoint's receipt has the result; without one it stays unknown, and the answer says so.
    expect(status).toBe(seat === 'the only one' ? 'mined' : 'confirmed')
    expect(reason ?? '').toMatch(seat === 'the only one' ? /no node reports whether it succeeded/ : /^$/)
    expect(stage.liar.lies(), 'huge receipts').toBeGreaterThan(0)
  },
)

/** Logs 32 KiB so many times. */
const loggingCode = (times: number) => `0x60${times.toString(16).padStart(2, '0')}5b6180006000a060019003806002570000`

test('an honest receipt of megabytes of logs is read, with its result', async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: {} } })
  const { id } = await stage.client.send('one', {
    value: '0',
    data: loggingCode(50),
    gas_limit: 15_500_000,
    speed: 'average',
  })
  const payment = { sender: stage.sender('one'), id, to: '', value: 0n }
  await mineUntil(stage, 'the transaction to be mined', async () => {
    return ['mined', 'confirmed', 'failed'].includes((await view(stage, payment)).status)
  })
  const transaction = await reached(stage, payment, 'mined', 'confirmed', 'failed')
  const receipt = await stage.node.rpc<{ status: string; logs: unknown[] }>('eth_getTransactionReceipt', [
    transaction.hash,
  ])
  expect(JSON.stringify(receipt).length).toBeGreaterThan(3_000_000)
  expect(receipt.status).toBe('0x1')
  expect(transaction.status_reason).toBeUndefined()
})
