// gas_limit left out: it is estimated before a nonce is bound, and a revert fails with the contract's words
// and costs neither nonce nor wei.
import { encodeErrorResult, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { nonceOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { inPool, pay, payTimes, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { one: {}, three: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Code that reverts with Error(string): copies what follows it to memory, and reverts with that. */
function revertingWith(reason: string): string {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [reason] })
  const bytes = ((data.length - 2) / 2).toString(16).padStart(2, '0')
  return `0x60${bytes}600c60003960${bytes}6000fd${data.slice(2)}`
}

const noGasLimit = { gas_limit: undefined } as unknown as { gas_limit: number }

test('a payload that would revert waits for earlier ones, fails with the decoded reason, and costs no nonce', async () => {
  const sender = stage.sender('one')
  const contract = '0x00000000000000000000000000000000c0ffee01'
  await stage.node.rpc('anvil_setCode', [contract, revertingWith('the till is closed')])
  const before = await pay(stage, sender)
  const reverting = await pay(stage, sender, { to: contract, data: '0x12345678', ...noGasLimit })
  const after = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await until(() => stage.rows.transaction(reverting.id).wait_condition === 'would_revert', {
    what: 'a reason to wait',
  })
  await stage.node.mine()
  const failed = await reached(stage, reverting, 'failed')
  expect(failed.status_reason).toBe('it would revert: the till is closed')
  expect(failed.nonce).toBeUndefined()
  expect(stage.rows.attempts(reverting.id)).toEqual([])
  await inPool(stage, sender, [1])
  expect([(await view(stage, before)).nonce, (await view(stage, after)).nonce]).toEqual([0, 1])
  await audit(stage, sender)
  expect(await nonceOf(stage.node, sender.address)).toBe(2)
})

test('twenty that revert before one that does not: all fail, and the one is executed with nonce 0', async () => {
  const sender = stage.sender('three')
  const contract = '0x00000000000000000000000000000000c0ffee03'
  await stage.node.rpc('anvil_setCode', [contract, revertingWith('no')])
  const failing = await payTimes(stage, sender, 20, { to: contract, ...noGasLimit })
  const good = await pay(stage, sender, noGasLimit)
  for (const payment of failing) await reached(stage, payment, 'failed')
  expect((await reached(stage, good, 'submitted')).nonce).toBe(0)
  await audit(stage, sender)
})
