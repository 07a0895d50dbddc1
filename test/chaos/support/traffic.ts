// Clients that send and cancel at random through a service that may die in the middle of any answer. An answered request
// counts; any other may have happened or not.
import { getAddress, toHex } from 'viem'
import type { Answer, BulkView, TransactionView } from '../../../tooling/client.ts'
import type { Dice } from '../../../tooling/dice.ts'
import type { AnyStage, Sender } from '../../e2e/support/stage.ts'

export interface Sent {
  readonly sender: Sender
  readonly id: string
  readonly to: string
}

export interface Traffic {
  /** Recipients of all that was ever tried: each is paid once at most. */
  readonly tried: Set<string>
  /** Sends that were answered with success. */
  readonly sent: Sent[]
  /** Ids whose DELETE, single or bulk, was answered with success. */
  readonly canceled: Set<string>
  /** Every transaction that an answer to a send or a cancel showed. */
  readonly shown: TransactionView[]
  /** Bulk cancellations that were answered. */
  bulks: number
  /** Requests that got no answer. */
  unanswered: number
  /** DELETEs that were refused, as too late. */
  refused: number
}

export function noTraffic(): Traffic {
  return { tried: new Set(), sent: [], canceled: new Set(), shown: [], bulks: 0, unanswered: 0, refused: 0 }
}

export async function trySend(stage: AnyStage, traffic: Traffic, sender: Sender, chance: Dice): Promise<void> {
  const to = getAddress(toHex(chance.bytes(20)))
  traffic.tried.add(to)
  const body = {
    to,
    value: '1000000000000000',
    gas_limit: 21_000,
    speed: chance.pick(['safeLow', 'average', 'fastest']),
  }
  const answer = await ask(stage, traffic, 'POST', sender, '', body)
  if (!answer) return
  const view = dataOf<TransactionView>(answer)
  traffic.sent.push({ sender, id: view.id, to })
  traffic.shown.push(view)
}

/** One of the `among` that were sent last, and that nobody canceled yet. */
export async function tryCancel(stage: AnyStage, traffic: Traffic, chance: Dice, among = 40): Promise<void> {
  const open = traffic.sent.slice(-among).filter(({ id }) => !traffic.canceled.has(id))
  if (open.length === 0) return
  const { sender, id } = chance.pick(open)
  const answer = await ask(stage, traffic, 'DELETE', sender, `/${id}`)
  if (answer?.status === 400) {
    const why = String(answer.headers['relayer-error-code'])
    if (!/^TRANSACTION_ALREADY_(MINED|CONFIRMED)$/.test(why)) throw new Error(`the DELETE of ${id} was refused: ${why}`)
    traffic.refused += 1
  } else if (answer) {
    const view = dataOf<TransactionView>(answer)
    if (view.status !== 'canceled') throw new Error(`the DELETE of ${id} was answered with ${view.status}`)
    traffic.shown.push(view)
    traffic.canceled.add(id)
  }
}

export async function tryCancelPending(stage: AnyStage, traffic: Traffic, sender: Sender): Promise<void> {
  const answer = await ask(stage, traffic, 'DELETE', sender, '/pending')
  if (!answer) return
  const bulk = dataOf<BulkView>(answer)
  if (bulk.failed_to_queue_transaction_ids.length > 0) throw new Error(`a bulk left out ${JSON.stringify(bulk)}`)
  for (const id of bulk.queued_for_cancellation_transaction_ids) traffic.canceled.add(id)
  traffic.bulks += 1
}

/** Undefined when the connection broke: the outcome is unknown. */
async function ask(
  { client }: AnyStage,
  traffic: Traffic,
  method: 'POST' | 'DELETE',
  sender: Sender,
  rest: string,
  body?: unknown,
): Promise<Answer | undefined> {
  const path = `/relayers/${sender.id}/transactions${rest}`
  try {
    return await client.request(method, path, body === undefined ? {} : { body })
  } catch {
    traffic.unanswered += 1
    return undefined
  }
}

function dataOf<T>({ status, body }: Answer): T {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return (body as { data: T }).data
}
