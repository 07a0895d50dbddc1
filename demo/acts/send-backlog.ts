// Act one: more payments than the relayer gives nonces to at a time.
import { until } from '../../tooling/client.ts'
import { poolOf } from '../node.ts'
import { because, heading, print } from '../say.ts'
import { maxInFlight, type Payment, pay, type Sender, type Stage } from '../stage.ts'

export async function sendBacklog(stage: Stage, sender: Sender, count: number): Promise<Payment[]> {
  const payments: Payment[] = []
  for (let number = 1; number <= count; number++) payments.push(await pay(stage, sender, number, BigInt(number)))
  await untilInPool(stage, sender, [0, 1, 2])
  return payments
}

export async function actOne(stage: Stage): Promise<Payment[]> {
  heading('1. Send seven payments through the relayer "payouts"')
  const payments = await sendBacklog(stage, stage.payouts, 7)
  print(
    `Three are in the node's pool with nonces 0, 1 and 2; four wait without a nonce (max_in_flight is ${maxInFlight}).`,
  )
  because('A payment gets its nonce as late as possible: without one it can be canceled at no cost.')
  return payments
}

/** Resolves when the node's pool holds the sender's payments, not no-ops, at exactly these nonces. */
export async function untilInPool(stage: Stage, sender: Sender, nonces: readonly number[]): Promise<void> {
  await until(
    async () => {
      const pool = await poolOf(stage.anvil, sender.address)
      return String([...pool.keys()].sort((one, other) => one - other)) === String(nonces)
    },
    { what: `the pool to hold nonces ${nonces} of ${sender.id}` },
  )
}
