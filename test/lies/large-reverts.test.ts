// A hostile contract behind an honest node: it reverts with a megabyte of text, beside the cancellations of another relayer.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import { cancel, inPool, mineUntil, pay, verdict, view } from '../e2e/support/play.ts'
import { lyingStage } from './support/lying-stage.ts'

const word = (value: number) => value.toString(16).padStart(64, '0')
/** `Error(string)` of 2^20 - 1 bytes, which begin with 2,048 times `a`. */
const textBytes = 0xfffff
const shownBytes = 2_048
const head = [
  `7f08c379a0${'00'.repeat(28)}600052`, // the selector at 0
  '6020600452', // the offset at 4
  '620fffff602452', // the length at 36
]
const code = (at: number) => `${head.join('')}610800${`60${at.toString(16).padStart(2, '0')}`}60443962100043${'6000fd'}`
const revertingCode = `0x${code(code(0).length / 2)}${'61'.repeat(shownBytes)}` as const

test('its text is cut before it is stored, and the others cancel meanwhile', async () => {
  await using stage = await lyingStage('the only one', {
    relayers: { hostile: {}, honest: {} },
  })
  const { result: estimated } = await fetch(stage.node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: revertingCode }] }),
  }).then(async (answer) => ({ result: await answer.text() }))
  expect(estimated.length, 'the answer of the node').toBeGreaterThan(2 * textBytes)
  expect(estimated).toContain(word(textBytes))

  const payment = await pay(stage, stage.sender('honest'))
  await inPool(stage, stage.sender('honest'), [0])
  const creation = { value: '0', data: revertingCode, speed: 'average' } as const
  const refused = []
  for (let number = 0; number < 3; number += 1) refused.push(await stage.client.send('hostile', creation))
  // With a gas limit of its own it is mined, and reverts there.
  const named = await stage.client.send('hostile', { ...creation, gas_limit: 5_000_000 })
  await cancel(stage, payment)
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('honest', payment.id)).final)
  const { winner } = await verdict(stage, payment, ({ final }) => final)
  const [mined] = await minedFrom(stage.node, stage.sender('honest').address)
  expect(winner?.hash).toBe(mined?.hash)

  const sender = stage.sender('hostile')
  const of = ({ id }: { readonly id: string }) => ({ sender, id, to: '', value: 0n })
  for (const each of refused) {
    // The node computes for seconds over each estimate.
    await mineUntil(stage, 'a refusal', async () => (await view(stage, of(each))).status === 'failed')
    const { status_reason: reason } = await view(stage, of(each))
    expect(reason).toMatch(/^it would revert: a{100}/)
    expect(reason?.length).toBeLessThan(600)
  }
  await mineUntil(stage, 'its transaction to fail', async () => (await view(stage, of(named))).status === 'failed')
  const stored = stage.rows.transaction(named.id)
  expect(stored.revert_reason).toMatch(/^a{1023}…$/)
})
