// A copy of the database that lost more transactions than the limit of an hour. A pool that shows them proves that no false
// count made the gaps, so the limit does not apply to them.
import { expect, test } from 'vitest'
import { copyDatabase, putBack } from '../e2e/support/copy.ts'
import { inPool, mineUntil, payTimes, view } from '../e2e/support/play.ts'
import { lyingStage } from './support/lying-stage.ts'

/** More than `fillsPerHourMax`. */
const lost = 90
/** More gas than a block has from then on: the lost transactions stay in the pool. */
const [lostGas, blockGas] = [10_000_000, 9_000_000].map((gas) => `0x${gas.toString(16)}`)

test('gap fillers for nonces up to one that the pool shows are exempt from the 64 of an hour, and those above a count alone are not', async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: { max_in_flight: 1 } } })
  const sender = stage.sender('one')
  const payments = await payTimes(stage, sender, 2)
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await stage.service.stop()
  await stage.node.mine()
  for (let nonce = 1; nonce <= lost; nonce += 1) {
    await stage.node.rpc('eth_sendTransaction', [
      {
        ...{ from: sender.address, to: sender.address, value: '0x1', nonce: `0x${nonce.toString(16)}`, gas: lostGas },
        ...{ maxFeePerGas: '0x3c336080', maxPriorityFeePerGas: '0x1' },
      },
    ])
  }
  await stage.node.rpc('evm_setBlockGasLimit', [blockGas])
  const methods = ['eth_getTransactionBySenderAndNonce', 'txpool_contentFrom']
  stage.liar.withhold(({ method }) =>
    methods.includes(method) ? { error: { code: -32601, message: 'Method not found' } } : undefined,
  )
  await putBack(stage)
  const gapFillers = () => stage.rows.transactionsOf(sender.id).filter(({ origin }) => origin === 'gap')
  const [, waiting] = payments
  if (!waiting) throw new Error('two were paid')
  await mineUntil(stage, 'the limit of an hour', async () => gapFillers().length >= 64)
  await stage.node.mine(5)
  await mineUntil(stage, 'the explanation', async () =>
    /within an hour/.test((await view(stage, waiting)).status_reason ?? ''),
  )
  expect(gapFillers()).toHaveLength(64)
  expect(stage.liar.lies()).toBeGreaterThan(0)

  stage.liar.repent()
  await mineUntil(stage, 'the payment', async () => (await view(stage, waiting)).status === 'confirmed')
  expect(gapFillers().map(({ nonce }) => nonce)).toEqual(Array.from({ length: lost }, (_, index) => 1 + index))
})
