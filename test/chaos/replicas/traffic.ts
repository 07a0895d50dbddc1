// Clients of all replicas at once, which try the next one when one does not answer: every send has a name of its own and is
// repeated until it is answered, and so is every cancellation.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { getAddress, toHex } from 'viem'
import type { BulkView, TransactionView } from '../../../tooling/client.ts'
import type { Dice } from '../../../tooling/dice.ts'
import { apiKey, type Cluster, type Sender } from './cluster.ts'

export interface Payment {
  readonly sender: Sender
  /** The idempotency key, and so the name of the request. */
  readonly key: string
  /** Paid by nobody else. */
  readonly to: string
  /** By the answers; more than one is a fault. */
  readonly ids: Set<string>
  /** A client canceled it, alone or among all, answered or not. */
  cancelRequested: boolean
  /** A DELETE was answered with success. */
  canceled: boolean
  /** A DELETE was refused, as too late. */
  tooLate: boolean
}

export interface Traffic {
  /** Begins the idempotency keys. */
  readonly name: string
  readonly payments: Payment[]
  /** Ids that answers to bulk cancellations named. */
  readonly bulkCanceled: Set<string>
  /**
   * Whose bulk cancellation somebody did not answer: a replica that stands still has it before it, and carries it out when it
   * wakes, on later sends, too.
   */
  readonly unheardBulks: Set<Sender>
  /** What no answer should have said. */
  readonly faults: string[]
  readonly counts: {
    sends: number
    cancels: number
    bulks: number
    tooLate: number
    unanswered: number
    replayed: number
  }
}

interface Answer {
  readonly status: number
  readonly code: string
  readonly replayed: boolean
  readonly data: unknown
}

/** Of the first replica that answered; `unheard`: an earlier one did not. */
type Heard = Answer & { readonly unheard: boolean }

const answerMaxMs = 3_000
const patienceMs = 120_000
/** So many of the last sends are worth a DELETE: earlier ones are mined. */
const remembered = 16

export function noTraffic(name = 'payment'): Traffic {
  const counts = { sends: 0, cancels: 0, bulks: 0, tooLate: 0, unanswered: 0, replayed: 0 }
  return { name, payments: [], bulkCanceled: new Set(), unheardBulks: new Set(), faults: [], counts }
}

export function trafficOn(cluster: Cluster, chance: Dice, traffic: Traffic) {
  const path = ({ id }: Sender) => `/relayers/${id}/transactions`

  async function ask(method: 'POST' | 'DELETE', rest: string, body?: object, key?: string): Promise<Heard> {
    const end = performance.now() + patienceMs
    let unheard = false
    while (performance.now() < end) {
      const { service } = chance.pick(cluster.replicas)
      const answer = await askOnce(`${service.url}/api/v1${rest}`, method, body, key).catch(() => undefined)
      if (answer && answer.status < 500) return { ...answer, unheard }
      unheard = true
      traffic.counts.unanswered += 1
      await sleep(chance.between(10, 100))
    }
    throw new Error(`nobody answered ${method} ${rest} within ${patienceMs} ms`)
  }

  async function send(sender: Sender): Promise<void> {
    const to = getAddress(toHex(chance.bytes(20)))
    const key = `${traffic.name}-${traffic.payments.length}`
    const payment = { sender, key, to, ids: new Set<string>(), cancelRequested: false, canceled: false, tooLate: false }
    traffic.payments.push(payment)
    const speed = chance.pick(['safeLow', 'average', 'fastest'])
    // Now and then a client does not believe the first answer.
    for (let times = chance.chance(0.1) ? 2 : 1; times > 0; times -= 1) {
      const { status, code, data, replayed } = await ask(
        'POST',
        path(sender),
        { to, value: '1000', gas_limit: 21_000, speed },
        key,
      )
      if (status === 200) payment.ids.add((data as TransactionView).id)
      else traffic.faults.push(`the send ${key} was answered ${status} ${code}`)
      if (replayed) traffic.counts.replayed += 1
    }
    traffic.counts.sends += 1
  }

  async function cancel(): Promise<void> {
    const open = traffic.payments
      .slice(-remembered)
      .filter(({ cancelRequested, ids }) => !cancelRequested && ids.size > 0)
    if (open.length === 0) return
    const payment = chance.pick(open)
    payment.cancelRequested = true
    const [id = ''] = payment.ids
    const { status, code, data } = await ask('DELETE', `${path(payment.sender)}/${id}`)
    if (status === 200 && (data as TransactionView).status === 'canceled') payment.canceled = true
    else if (status === 400 && /^TRANSACTION_ALREADY_(MINED|CONFIRMED)$/.test(code)) payment.tooLate = true
    else traffic.faults.push(`the DELETE of ${id} was answered ${status} ${code} ${JSON.stringify(data)}`)
    if (payment.tooLate) traffic.counts.tooLate += 1
    traffic.counts.cancels += 1
  }

  async function cancelPending(sender: Sender): Promise<void> {
    const { status, code, data, unheard } = await ask('DELETE', `${path(sender)}/pending`)
    if (unheard) traffic.unheardBulks.add(sender)
    // With a lost answer its scope is unknown; sends made meanwhile may be in it.
    for (const payment of traffic.payments) if (payment.sender === sender) payment.cancelRequested = true
    traffic.counts.bulks += 1
    if (status !== 200) {
      traffic.faults.push(`the bulk cancel of ${sender.id} was answered ${status} ${code}`)
      return
    }
    const bulk = data as BulkView
    for (const id of bulk.queued_for_cancellation_transaction_ids) traffic.bulkCanceled.add(id)
    for (const id of bulk.failed_to_queue_transaction_ids) traffic.faults.push(`a bulk cancel left out ${id}`)
  }

  return { send, cancel, cancelPending }
}

async function askOnce(url: string, method: 'POST' | 'DELETE', body?: object, key?: string): Promise<Answer> {
  const answer = await request(url, {
    method,
    signal: AbortSignal.timeout(answerMaxMs),
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.body.json()) as { data: unknown }
  const code = String(answer.headers['relayer-error-code'] ?? '')
  return { status: answer.statusCode, code, replayed: answer.headers['idempotency-replayed'] === 'true', data }
}
