// Gathers the calls that everybody makes in one turn of the event loop into as few HTTP requests as possible, sends apart.
import type { Clock } from '../ops/clock.ts'
import type { Answer, Ask, Call } from './call.ts'
import type { Posted, Transport } from './transport.ts'

const batchCallsMax = 100
/** A gateway may refuse one batch for a reason of the moment: ask again after a while. */
const refusalHoldsMs = 300_000
/** EIP-1474's "limit exceeded", and what gateways put into an HTTP 200 instead of an HTTP 429. */
const rateLimitCodes: readonly number[] = [429, -32005]
const sendMethod = 'eth_sendRawTransaction'

interface Waiting {
  readonly id: number
  readonly call: Call
  readonly answer: (answer: Answer) => void
}

/** One answer of a JSON-RPC 2.0 body, before anything is known of it; its `error` is of the same kind. */
interface Member {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

export interface BatchOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** After each HTTP request: whether the node did its part. */
  readonly heard: (well: boolean) => void
}

export function batchCalls({ transport, clock, heard }: BatchOptions): Ask {
  let waiting: Waiting[] = []
  let lastId = 0
  let singleUntil = Number.NEGATIVE_INFINITY

  async function flush(): Promise<void> {
    const all = waiting
    waiting = []
    for (const part of inParts(all.filter((one) => !isSend(one)))) void exchange(part)
    // Apart, since a node may hang over a send and with it over all of the request; and one after the other, in their order.
    let sent: Promise<void> = Promise.resolve()
    for (const part of inParts(all.filter(isSend))) sent = sent.then(() => exchange(part))
    await sent
  }

  async function exchange(part: readonly Waiting[]): Promise<void> {
    if (part.length === 1 || clock.elapsed() < singleUntil) return single(part)
    const posted = await transport.post(JSON.stringify(part.map(toJson)))
    if (posted.kind === 'body' && refusesBatches(posted.json, part)) {
      singleUntil = clock.elapsed() + refusalHoldsMs
      return single(part, inDoubt)
    }
    settle(part, posted)
  }

  /** One request a call: sends one after the other, in their order, reads at once. */
  async function single(part: readonly Waiting[], known = (posted: Posted) => posted): Promise<void> {
    const alone = async (one: Waiting) => settle([one], known(await transport.post(JSON.stringify(toJson(one)))))
    if (!part.some(isSend)) await Promise.all(part.map(alone))
    else for (const one of part) await alone(one)
  }

  function settle(part: readonly Waiting[], posted: Posted): void {
    if (posted.kind !== 'body') {
      heard(false)
      for (const one of part) one.answer(posted)
      return
    }
    const members = Array.isArray(posted.json) ? (posted.json as unknown[]) : [posted.json]
    const byId = new Map(members.filter(isObject).map((member) => [member.id, member]))
    // To a lone call some nodes answer an early error with a null id.
    const lone = part.length === 1 && members.length === 1 ? members.find(isObject) : undefined
    // A rate limit that a gateway puts on a whole batch names no call of it.
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

const leftOut: Answer = { kind: 'unknown', message: 'the node answered, but not this call' }

export function toAnswer(member: unknown, redact: (text: string) => string): Answer {
  if (!isObject(member)) return leftOut
  const { error } = member
  if (isObject(error)) {
    if (isRateLimit(member)) return { kind: 'unknown', message: 'rate limited' }
    const { code, message, data } = error
    if (typeof code !== 'number') return { kind: 'unknown', message: 'an error without a code' }
    const told = redact(typeof message === 'string' ? message : '')
    return { kind: 'rpcError', code, message: told, ...(data !== undefined && { data }) }
  }
  return 'result' in member ? { kind: 'value', value: member.result } : leftOut
}

/** What came with a batch may have been done, though the node said that it takes none. */
function inDoubt(posted: Posted): Posted {
  if (posted.kind !== 'notSent') return posted
  return { kind: 'unknown', message: `it was in a batch that was refused, and alone: ${posted.message}` }
}

/**
 * A batch of several that is answered by a lone error was refused as a whole; but an error in a list that names a call of it
 * is about that call, and the others were left out.
 */
function refusesBatches(json: unknown, part: readonly Waiting[]): boolean {
  const listed = Array.isArray(json)
  const lone = listed && json.length === 1 ? (json[0] as unknown) : json
  if (!isObject(lone) || !isObject(lone.error) || isRateLimit(lone)) return false
  return !(listed && part.some(({ id }) => id === lone.id))
}

function isRateLimit(member: Member): boolean {
  const { error } = member
  return isObject(error) && rateLimitCodes.includes(Number(error.code))
}

function inParts(calls: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const parts: (readonly Waiting[])[] = []
  for (let from = 0; from < calls.length; from += batchCallsMax) parts.push(calls.slice(from, from + batchCallsMax))
  return parts
}

function isSend(waiting: Waiting): boolean {
  return waiting.call.method === sendMethod
}

function toJson({ id, call }: Waiting): object {
  return { jsonrpc: '2.0', id, method: call.method, params: call.params }
}

function isObject(value: unknown): value is Member {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
