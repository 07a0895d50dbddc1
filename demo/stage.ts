// What the demo plays on: a local chain whose blocks it makes itself, the service, and two relayers with money.
import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { type Service, startService } from '../tooling/service.ts'
import { type Gate, openGate } from './gate.ts'
import { balanceOf } from './node.ts'

export interface Sender {
  readonly id: string
  readonly address: Address
  readonly balanceAtStart: bigint
}

export interface Payment {
  /** As the table calls it, for example `payouts 1`. */
  readonly label: string
  readonly sender: Sender
  readonly id: string
  /** An address that nobody else pays: its final balance shows whether the payment was executed. */
  readonly to: Address
  readonly value: bigint
}

export interface Stage extends AsyncDisposable {
  readonly anvil: Anvil
  readonly gate: Gate
  readonly service: Service
  readonly client: Client
  readonly payouts: Sender
  readonly treasury: Sender
}

/** A relayer holds no more nonces than this at a time; further transactions wait without one. */
export const maxInFlight = 3
/** A verdict is final with the second block. */
const requiredConfirmations = 2

export async function setStage(): Promise<Stage> {
  await using pieces = new AsyncDisposableStack()
  const anvil = pieces.use(await startAnvil({ mining: 'manual' }))
  const gate = pieces.use(await openGate(anvil.url))
  const [payouts, treasury] = [devAccount(0), devAccount(1)]
  const policies = { max_in_flight: maxInFlight }
  const service = pieces.use(
    await startService({
      networks: [{ name: 'localhost', rpcUrls: [gate.url], requiredConfirmations, averageBlocktimeMs: 200 }],
      relayers: [
        { id: 'payouts', privateKey: payouts.key, policies },
        { id: 'treasury', privateKey: treasury.key, policies },
      ],
    }),
  )
  const client = pieces.use(openClient(service.url, service.apiKey))
  const sender = async (id: string, address: Address) => ({
    id,
    address,
    balanceAtStart: await balanceOf(anvil, address),
  })
  const stage = {
    anvil,
    gate,
    service,
    client,
    payouts: await sender('payouts', payouts.address),
    treasury: await sender('treasury', treasury.address),
  }
  const kept = pieces.move()
  return { ...stage, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Sends `milliether` to an address made for it. */
export async function pay(stage: Stage, sender: Sender, number: number, milliether: bigint): Promise<Payment> {
  const to = getAddress(`0x${randomBytes(20).toString('hex')}`)
  const value = milliether * 10n ** 15n
  const { id } = await stage.client.send(sender.id, { to, value: String(value), data: '0x', speed: 'average' })
  return { label: `${sender.id} ${number}`, sender, id, to, value }
}

/** Resolves with the transaction once it has one of `statuses`. */
export async function reached({ client }: Stage, payment: Payment, ...statuses: string[]) {
  let last = 'nothing'
  const what = () => `${payment.label} to be ${statuses.join(' or ')}; it is ${last}`
  return until(
    async () => {
      const transaction = await client.get(payment.sender.id, payment.id)
      last = transaction.status
      return statuses.includes(last) && transaction
    },
    { what },
  )
}

/** Resolves with the cancellation once `isSo` holds of it. */
export async function verdictOf(
  { client }: Stage,
  payment: Payment,
  isSo: (cancellation: { state: string; final: boolean }) => boolean,
) {
  let last = 'unknown'
  return until(
    async () => {
      const cancellation = await client.cancellation(payment.sender.id, payment.id)
      last = JSON.stringify(cancellation)
      return isSo(cancellation) && cancellation
    },
    { what: () => `the verdict on ${payment.label}; it is ${last}` },
  )
}
