// Gathers the calls of one turn of the event loop into as few HTTP requests as possible, sends apart from reads.
import type { Clock } from '../../ops/clock.ts'
import { learnBatchSize } from './batch-size.ts'
import type { Answer, Call, SendCall } from './call.ts'
import { readBatch } from './read-batch.ts'
import { isObject, isRateLimit, leftOut, membersOf, toAnswer } from './response-body.ts'
import type { HttpAnswer, Transport } from './transport.ts'

const sendMethods: readonly string[] = [
  'eth_sendRawTransaction',
  'eth_sendRawTransactionConditional',
  'eth_sendRawTransactionSync',
]

interface Waiting {
  readonly id: number
  readonly call: Call
  readonly answer: (answer: Answer) => void
}

export interface BatchOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** Called after each HTTP request except a refused batch: whether the node answered well. */
  readonly heard: (well: boolean) => void
  /** Called with the new limit on the calls that share a request. */
  readonly sized: (calls: number) => void
}

type Failed = Exclude<HttpAnswer, { readonly kind: 'body' }>
/** What a failed request proves about its calls, given the requests before it. */
type Certainty = (failed: Failed) => Failed

export function batchCalls({ transport, clock, heard, sized }: BatchOptions): SendCall {
  const size = learnBatchSize(clock, sized)
  let waiting: Waiting[] = []
  let lastId = 0

  async function flush(): Promise<void> {
    const all = waiting
    waiting = []
    // Apart, since a node may hang over a send, and the whole request with it.
    const reads = all.filter((one) => !isSend(one))
    await Promise.all([exchangeAll(reads, asItFailed), exchangeAll(all.filter(isSend), asItFailed)])
  }

  /**
   * Reads go out at once. Sends go out in order, one request after the other. After a send without an answer the rest
   * is not tried, since each would wait for a time-out of its own. Returns whether every request was answered, even
   * with an error.
   */
  async function exchangeAll(calls: readonly Waiting[], certain: Certainty): Promise<boolean> {
    const underWay: Promise<boolean>[] = []
    for (let from = 0; from < calls.length; ) {
      const part = calls.slice(from, from + size.take(calls.length - from))
      from += part.length
      const exchanged = exchange(part, certain)
      underWay.push(exchanged)
      if (!part.some(isSend) || (await exchanged)) continue
      fail(calls.slice(from), certain(notTried))
      return false
    }
    return (await Promise.all(underWay)).every((answered) => answered)
  }

  async function exchange(part: readonly Waiting[], certain: Certainty): Promise<boolean> {
    const [first, second] = part
    const answer = await transport.post(JSON.stringify(first && !second ? toJson(first) : part.map(toJson)))
    const posted = answer.kind === 'body' ? answer : certain(answer)
    if (second) {
      const ids = part.map(({ id }) => id)
      const reading = readBatch(posted, ids)
      if (reading === 'answered') size.answered(part.length)
      if (reading === 'refused' || reading === 'limited') size.refused(part.length)
      if (reading === 'refused') return exchangeAll(part, inDoubt)
    }
    settle(part, posted)
    return posted.kind === 'body' || (posted.kind === 'unknown' && posted.status !== undefined)
  }

  function settle(part: readonly Waiting[], posted: HttpAnswer): void {
    if (posted.kind !== 'body') {
      heard(false)
      fail(part, posted)
      return
    }
    const members = membersOf(posted.json)
    const byId = new Map(members.filter(isObject).map((member) => [member.id, member]))
    // Some nodes answer an early error of a lone call with a null id.
    const lone = part.length === 1 && members.length === 1 ? members.find(isObject) : undefined
    // A gateway's rate limit on a whole batch names none of its calls.
    const limit = members.find((member) => isObject(member) && isRateLimit(member))
    const answers = part.map((one) => {
      const member = byId.get(one.id) ?? (lone?.id === null ? lone : undefined) ?? limit
      return toAnswer(member, transport.redact)
    })
    heard(limit === undefined && answers.some((answer) => answer.kind === 'value' || answer.kind === 'rpcError'))
    part.forEach((one, index) => {
      one.answer(answers[index] ?? leftOut)
    })
  }

  return (call) =>
    new Promise((answer) => {
      lastId += 1
      if (waiting.push({ id: lastId, call, answer }) === 1) setImmediate(() => void flush())
    })
}

const notTried: Failed = { kind: 'unsent', message: 'an earlier send got no answer' }

function fail(part: readonly Waiting[], { kind, message }: Failed): void {
  for (const one of part) one.answer({ kind, message })
}

function asItFailed(failed: Failed): Failed {
  return failed
}

/** A node may have executed the calls of a batch that it refused. */
function inDoubt(failed: Failed): Failed {
  if (failed.kind !== 'unsent') return failed
  return { kind: 'unknown', message: `the node refused a batch with this call, and then: ${failed.message}` }
}

function isSend(waiting: Waiting): boolean {
  return sendMethods.includes(waiting.call.method)
}

function toJson({ id, call }: Waiting): object {
  return { jsonrpc: '2.0', id, method: call.method, params: call.params }
}
