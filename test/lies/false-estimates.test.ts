// A node that estimates gas falsely, for payloads and for no-ops.
import { afterEach, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import type { RpcReply } from '../../tooling/rpc-server.ts'
import { audit } from '../e2e/support/audit.ts'
import { cancel, mineUntil, noOpInPool, type Payment, pay, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seatsAmongOthers } from './support/lying-stage.ts'

let stage: LyingStage | undefined
afterEach(() => stage?.[Symbol.asyncDispose]())

const units = (gas: number): RpcReply => ({ result: `0x${gas.toString(16)}` })
const badJump: RpcReply = { error: { code: -32603, message: 'EVM error InvalidJump' } }

const estimates = (staged: LyingStage, reply: RpcReply) =>
  staged.liar.lie(({ method }) => (method === 'eth_estimateGas' ? reply : undefined))

/** Creation code that stores a word: 22,100 gas beside its own, so no lower limit will do. */
const stores = '0x600160005500'
/** Creation code that jumps to where no jump leads. */
const jumps = '0x600056'

async function create(staged: LyingStage, data: string): Promise<Payment> {
  const sender = staged.sender('one')
  const { id } = await staged.client.send('one', { value: '0', data, speed: 'average' })
  return { sender, id, to: '', value: 0n }
}

const signedGas = async (staged: LyingStage, { id }: Payment) => {
  const [first] = await until(
    () => {
      const attempts = staged.rows.attempts(id)
      return attempts.length > 0 && attempts
    },
    { what: 'an attempt' },
  )
  return first?.gas_limit
}

test.each([
  ['one of three', 29_000_000],
  ['one of three', 54_000],
  ['one of two', 54_000],
] as const)(
  '%s estimates a creation at %d gas: the signed limit suffices, and is no wide one',
  async (seat, false_) => {
    stage = await lyingStage(seat, { relayers: { one: {} } })
    const honest = Number(
      await stage.node.rpc('eth_estimateGas', [{ from: stage.sender('one').address, data: stores }]),
    )
    estimates(stage, units(false_))
    const payment = await create(stage, stores)
    const gas = await signedGas(stage, payment)
    expect(gas).toBeGreaterThanOrEqual(honest)
    expect(gas).toBeLessThanOrEqual(1.5 * honest)
    const staged = stage
    await mineUntil(stage, 'a confirmation', async () => (await view(staged, payment)).status === 'confirmed')
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test('one of two estimates 29,000,000 gas where the limit is charged: nothing is signed, and the wait has both figures', async () => {
  stage = await lyingStage('one of two', { relayers: { one: {} }, profile: { charges: 'gas_limit' } })
  const honest = Number(await stage.node.rpc('eth_estimateGas', [{ from: stage.sender('one').address, data: stores }]))
  estimates(stage, units(29_000_000))
  const payment = await create(stage, stores)
  const staged = stage
  await until(
    async () => {
      const { status_reason: reason } = await view(staged, payment)
      return reason?.includes(String(honest)) && reason.includes('29000000')
    },
    { what: 'a reason with both figures' },
  )
  expect(stage.rows.attempts(payment.id)).toEqual([])
  stage.liar.repent()
  await mineUntil(stage, 'a confirmation', async () => (await view(staged, payment)).status === 'confirmed')
})

test.each(seatsAmongOthers.flatMap((seat) => [1, 9_000, 29_000_000].map((gas) => [seat, gas] as const)))(
  '%s estimates no-ops at %d gas: the cancellation is won',
  async (seat, gas) => {
    stage = await lyingStage(seat, { relayers: { one: {} }, profile: { no_op_gas: 'estimated', floor_gas: false } })
    const sender = stage.sender('one')
    estimates(stage, units(gas))
    const payment = await pay(stage, sender)
    await until(() => stage?.rows.attempts(payment.id)[0]?.outcome != null, { what: 'an answer' })
    await cancel(stage, payment)
    const hash = await noOpInPool(stage, payment)
    const staged = stage
    await mineUntil(stage, 'a final verdict', async () => (await staged.client.cancellation('one', payment.id)).final)
    const { state, winner } = await verdict(stage, payment, ({ final }) => final)
    expect({ state, hash: winner?.hash }).toEqual({ state: 'won', hash })
    await audit(stage, sender)
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test('a payload whose estimate fails in words of no table ends, and those behind it go', async () => {
  stage = await lyingStage('one of three', { relayers: { one: {} } })
  const [poison, behind] = [await create(stage, jumps), await create(stage, stores)]
  const staged = stage
  await until(async () => (await view(staged, poison)).status_reason?.includes('InvalidJump'), { what: 'its words' })
  expect((await view(stage, behind)).status, 'nothing passes it').toBe('pending')
  await until(async () => (await view(staged, poison)).status === 'failed', { limitMs: 180_000, what: 'its end' })
  expect(stage.rows.attempts(poison.id)).toEqual([])
  expect((await view(stage, poison)).status_reason).toContain('InvalidJump')
  await mineUntil(stage, 'a confirmation', async () => (await view(staged, behind)).status === 'confirmed')
})

test('one of three fails an estimate in words of no table: the payload is sent', async () => {
  stage = await lyingStage('one of three', { relayers: { one: {} } })
  estimates(stage, badJump)
  const payment = await create(stage, stores)
  const staged = stage
  await mineUntil(stage, 'a confirmation', async () => (await view(staged, payment)).status === 'confirmed')
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

test.each(seatsAmongOthers)('%s names a gas limit of 30,000 in its headers: nothing is refused', async (seat) => {
  stage = await lyingStage(seat, { relayers: { one: {} } })
  stage.liar.lie(({ method }, honest) => {
    if (method !== 'eth_getBlockByNumber' || !('result' in honest)) return undefined
    return honest.result ? { result: { ...Object(honest.result), gasLimit: '0x7530' } } : undefined
  })
  const payment = await pay(stage, stage.sender('one'), { gas_limit: 100_000 })
  const staged = stage
  await mineUntil(stage, 'a confirmation', async () => (await view(staged, payment)).status === 'confirmed')
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})
