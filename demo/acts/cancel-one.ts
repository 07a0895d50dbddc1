// Acts two and three: a payment that no node has seen, and one that is in the pool.
import { until } from '../../tooling/client.ts'
import { poolOf, sameAddress } from '../node.ts'
import { because, heading, print, shortHash } from '../say.ts'
import { type Payment, reached, type Stage, verdictOf } from '../stage.ts'
import { untilInPool } from './send-backlog.ts'

export async function cancelBeforeBroadcast(stage: Stage, payment: Payment): Promise<void> {
  heading(`2. Cancel ${payment.label}, which was never broadcast`)
  await stage.client.cancel(payment.sender.id, payment.id)
  await verdictOf(stage, payment, ({ state, final }) => state === 'dropped' && final)
  print('Dropped: the verdict is final with the answer itself, and costs nothing.')
  because('Nothing of it was ever signed, so nothing of it can ever be mined. The next payment takes its place.')
}

export async function cancelInThePool(stage: Stage, payment: Payment): Promise<void> {
  const { anvil, client } = stage
  const { address, id } = payment.sender
  const { nonce = -1, hash = '' } = await reached(stage, payment, 'submitted')

  heading(`3. Cancel ${payment.label}, which is in the pool with nonce ${nonce}`)
  await client.cancel(id, payment.id)
  const noOp = await until(
    async () => {
      const holder = (await poolOf(anvil, address)).get(nonce)
      return holder !== undefined && sameAddress(holder.to, address) && holder
    },
    { what: `the no-op to replace ${payment.label} in the pool` },
  )
  print(`It was       ${shortHash(hash)}`)
  print(`Replaced by  ${shortHash(noOp.hash)}, a no-op: value 0, to the relayer itself, at a higher fee.`)
  because('Two transactions of one nonce can never both be mined: whichever wins, the payment happens at most once.')

  await anvil.mine()
  const { cost } = await verdictOf(stage, payment, ({ state, final }) => state === 'won' && !final)
  print(`A block is mined, and the no-op is in it: won, at a cost of ${cost} wei.`)
  print('Not final yet: a reorganization could still take the block back. The next block settles it.')
}

export async function showWhoTookThePlace(stage: Stage, dropped: Payment, next: Payment): Promise<void> {
  await untilInPool(stage, dropped.sender, [3, 4, 5])
  const { nonce, hash = '' } = await reached(stage, next, 'submitted')
  print(`Nonce ${nonce}, which would have been ${dropped.label}'s, went to ${next.label}: ${shortHash(hash)}`)
}
