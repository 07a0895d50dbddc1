// What a client does to the service, and the waits for what comes of it.
import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { type Client, type SendBody, until } from '../../../tooling/client.ts'
import { headOf, poolOf } from '../../../tooling/ledger.ts'
import type { AnyStage, Sender } from './stage.ts'

/** Something sent through a relayer, to an address that nobody else pays. */
export interface Payment {
  readonly sender: Sender
  readonly id: string
  readonly to: string
  readonly value: bigint
}

/** Sends one ether's thousandth, or what `body` says, to an address made for it. */
export async function pay(stage: AnyStage, sender: Sender, body: Partial<SendBody> = {}): Promise<Payment> {
  const to = getAddress(`0x${randomBytes(20).toString('hex')}`)
  const requested = { to, value: '1000000000000000', gas_limit: 21_000, speed: 'average', ...body }
  const { id } = await stage.client.send(sender.id, withoutSpeedBesideFees(requested))
  return { sender, id, to: requested.to, value: BigInt(requested.value) }
}

function withoutSpeedBesideFees(body: SendBody): SendBody {
  if (body.gas_price === undefined && body.max_fee_per_gas === undefined) return body
  const { speed: _, ...rest } = body
  return rest
}

/** One after the other, so that the order of the queue is theirs. */
export async function payTimes(
  stage: AnyStage,
  sender: Sender,
  count: number,
  body: Partial<SendBody> = {},
): Promise<Payment[]> {
  const payments: Payment[] = []
  for (let number = 0; number < count; number++) payments.push(await pay(stage, sender, body))
  return payments
}

export function view({ client }: AnyStage, { sender, id }: Payment) {
  return client.get(sender.id, id)
}

export function cancel({ client }: AnyStage, { sender, id }: Payment, headers: Record<string, string> = {}) {
  return client.cancel(sender.id, id, headers)
}

/** Resolves with the transaction once it has one of `statuses`. */
export async function reached(stage: AnyStage, payment: Payment, ...statuses: string[]) {
  let last = 'nothing'
  return until(
    async () => {
      const transaction = await view(stage, payment)
      last = `${transaction.status} (${transaction.status_reason ?? ''})`
      return statuses.includes(transaction.status) && transaction
    },
    { what: () => `a transaction to be ${statuses.join(' or ')}; it is ${last}\n${stage.service.logs().slice(-3000)}` },
  )
}

/** Resolves with the cancellation once `isSo` holds of it. */
export async function verdict(
  { client, service }: AnyStage,
  { sender, id }: Payment,
  isSo: (cancellation: Awaited<ReturnType<Client['cancellation']>>) => boolean,
) {
  let last = 'unknown'
  return until(
    async () => {
      const cancellation = await client.cancellation(sender.id, id)
      last = JSON.stringify(cancellation)
      return isSo(cancellation) && cancellation
    },
    { what: () => `a verdict; it is ${last}\n${service.logs().slice(-3000)}` },
  )
}

/** Resolves once the node's pool holds exactly these nonces of the sender. */
export async function inPool({ node, service }: AnyStage, sender: Sender, nonces: readonly number[]): Promise<void> {
  let last = 'nothing'
  await until(
    async () => {
      last = String([...(await poolOf(node, sender.address)).keys()].sort((one, other) => one - other))
      return last === String(nonces)
    },
    { what: () => `the pool to hold nonces ${nonces}; it holds ${last}\n${service.logs().slice(-3000)}` },
  )
}

/** Resolves with the hash of the no-op once the node's pool holds it in the payment's place. */
export async function noOpInPool(stage: AnyStage, payment: Payment): Promise<string> {
  return until(
    async () => {
      const pool = new Set((await poolOf(stage.node, payment.sender.address)).values())
      return stage.rows.attempts(payment.id).find(({ kind, hash }) => kind === 'cancel' && pool.has(hash))?.hash
    },
    { what: () => `a no-op in the pool\n${stage.service.logs().slice(-3000)}` },
  )
}

/**
 * Resolves once the node has answered to `count` transactions signed for the payment: their kinds, and whether it took each.
 * A repeated broadcast of a pooled transaction is harmless; but a mined one is refused, so this comes before a block.
 */
export async function answered({ rows, service }: AnyStage, { id }: Payment, count: number) {
  return until(
    () => {
      const attempts = rows.attempts(id)
      if (attempts.length < count || attempts.some(({ outcome }) => outcome === null)) return false
      return attempts.map(({ kind, outcome }) => [kind, outcome === 'accepted' || outcome === 'alreadyKnown'] as const)
    },
    { what: () => `${count} answers; there are ${JSON.stringify(rows.attempts(id))}\n${service.logs().slice(-3000)}` },
  )
}

/** Mines a block after another until `condition` holds: the service takes its steps at new heads. */
export async function mineUntil(
  { node, service }: AnyStage,
  what: string | (() => string),
  condition: () => Promise<boolean> | boolean,
  limitMs = 90_000,
): Promise<void> {
  const reported = () => (typeof what === 'string' ? what : what())
  await until(
    async () => {
      if (await condition()) return true
      await node.mine()
      return false
    },
    { everyMs: 150, limitMs, what: () => `${reported()}\n${service.logs().slice(-3000)}` },
  )
}

/** Resolves once the service prices as of the head that stands now. */
export async function headSeen({ node, line, service }: AnyStage): Promise<void> {
  const head = await headOf(node)
  await until(() => line.newestPriced() >= head, {
    what: () => `a look at block ${head}\n${service.logs().slice(-3000)}`,
  })
}

/** How long after a cut a step that saw all that it asked for has recorded an attempt, on a slow machine, too. */
const recordedMs = 5_000

/**
 * The line is cut between a look at the account and what the relayer then sends, so that it reaches no node: until each payment has an
 * attempt that is held. A look of several requests may meet the cut before its last one, or be older than a step on a busy machine may use:
 * then nothing was signed, and the next is cut. Some may be held already, bound by the readings before an earlier cut. A new block comes
 * before the line is mended: a step has to look at the account again, rather than send by what the last look left behind.
 */
export async function holdBeforeSend(stage: AnyStage, sender: Sender, payments: readonly Payment[]): Promise<void> {
  const states = () => payments.map(({ id }) => stage.rows.attempts(id).map(({ state }) => state))
  let cutAt: number | undefined
  stage.line.cutBeforeSend(sender.address)
  await until(
    async () => {
      if (states().every((each) => each.includes('held'))) return true
      if (!stage.line.isCut()) return false
      cutAt ??= performance.now()
      if (performance.now() - cutAt < recordedMs) return false
      cutAt = undefined
      await stage.node.mine()
      await stage.line.mend()
      stage.line.cutBeforeSend(sender.address)
      return false
    },
    {
      limitMs: 120_000,
      what: () => `held attempts: ${JSON.stringify(states())}\n${stage.service.logs().slice(-2000)}`,
    },
  )
}
