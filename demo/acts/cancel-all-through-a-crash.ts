// Act five: everything pending of the second relayer, with a crash between the answer and the first broadcast.
import { until } from '../../tooling/client.ts'
import { poolOf, sameAddress } from '../node.ts'
import { because, heading, print } from '../say.ts'
import { type Payment, pay, reached, type Stage, verdictOf } from '../stage.ts'
import { sendBacklog } from './send-backlog.ts'

export async function cancelAllThroughACrash(stage: Stage): Promise<Payment[]> {
  const { anvil, client, gate, service, treasury } = stage
  heading('5. Cancel all pending of "treasury", and kill the service before it can act')
  const payments = await sendBacklog(stage, treasury, 5)
  print('Five payments: nonces 0, 1 and 2 are in the pool, two wait without a nonce.')

  gate.close()
  const { queued_for_cancellation_transaction_ids: queued } = await client.cancelPending(treasury.id)
  await service.kill9()
  await until(() => gate.waiting().length === 0, { what: 'the dead process to let go of the gate' })
  print(`DELETE answered with ${queued.length} cancellations; kill -9 follows at once (pid ${service.pid}).`)
  const left = [...(await poolOf(anvil, treasury.address)).values()]
  const originals = left.filter((transaction) => !sameAddress(transaction.to, treasury.address))
  print(`No no-op got out: the pool still holds ${originals.length} originals, and nobody looks after them.`)

  gate.open()
  await service.restart()
  await until(async () => (await noOpsInPool(stage)) === 3, { what: 'the no-ops to be in the pool after the restart' })
  print(`Restarted on the same file (pid ${service.pid}): three no-ops are out, without another request.`)
  because('The intent was on disk before the answer left. Nothing hangs on a message, a timer or a process surviving.')

  const after = await pay(stage, treasury, 6, 6n)
  await anvil.mine()
  for (const payment of payments.slice(0, 3)) await verdictOf(stage, payment, ({ state }) => state === 'won')
  const { nonce } = await reached(stage, after, 'submitted', 'mined', 'confirmed')
  print(`A payment sent afterwards goes through with nonce ${nonce}: none was skipped.`)
  return [...payments, after]
}

async function noOpsInPool({ anvil, treasury }: Stage): Promise<number> {
  const pool = await poolOf(anvil, treasury.address)
  return [...pool.values()].filter((transaction) => sameAddress(transaction.to, treasury.address)).length
}
