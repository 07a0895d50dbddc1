// Act four: the cancellation that comes too late, and says so.
import { until } from '../../tooling/client.ts'
import { because, heading, print, shortHash } from '../say.ts'
import { type Payment, reached, type Stage, verdictOf } from '../stage.ts'

export async function loseARace(stage: Stage, payment: Payment): Promise<void> {
  const { anvil, client, gate } = stage
  heading(`4. Cancel ${payment.label}, and let it lose the race`)
  print('The demo closes a gate between the service and the node: reads pass, sends wait, as on a slow line.')
  gate.close()
  const canceled = await client.cancel(payment.sender.id, payment.id)
  await until(() => gate.waiting().length > 0, { what: 'the no-op to arrive at the gate' })
  print(`DELETE answered "${canceled.status}"; the no-op ${shortHash(gate.waiting()[0] ?? '')} waits at the gate.`)
  await anvil.mine()
  gate.open()
  print('A block is mined with the original in it. Only then does the gate open, and the node refuses the no-op.')

  await verdictOf(stage, payment, ({ state }) => state === 'lost')
  const { status, status_reason: reason } = await reached(stage, payment, 'mined', 'confirmed')
  print(`Lost: the status is now "${status}" (${reason}).`)
  because('The chain decides, and the service says so. The late no-op can do no harm: its nonce is spent.')
}
