// Gathers the calls of one turn of the event loop into as few HTTP requests as possible, sends apart from reads. A call
// whose answer a payload makes large or slow has a request of its own.
import type { Clock } from '../../ops/clock.ts'
import { sendMethods, waitingSend } from '../../ops/send-methods.ts'
import { type BatchSize, learnBatchSize } from './batch-size.ts'
import type { Answer, Call, SendCall } from './call.ts'
import { openCallLanes } from './call-lanes.ts'
import { expectedAnswer, isOfWholeBlock, isShapedByPayload, mayExceed } from './expected-answer.ts'
import { leftOutIn, readBatch, tooLargeIn } from './read-batch.ts'
import { isObject, isRateLimit, leftOut, matchIds, membersOf, toAnswer } from './response-body.ts'
import type { HttpAnswer, Transport } from './transport.ts'

interface Waiting {
  readonly id: number
  readonly call: Call
  readonly answer: (answer: Answer) => void
}

interface BatchOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** Called after each HTTP request except a refused batch: whether the node answered well. */
  readonly heard: (well: boolean) => void
  /** Called with the new limit on the calls that share a request. */
  readonly sized: (calls: number) => void
}

type Failed = Exclude<HttpAnswer, { readonly kind: 'body' }>
/** The facts that requests prove, given those before them. */
interface Round {
  /** About the calls of a failed request. */
  certain(failed: Failed): Failed
  /** About the endpoint. */
  heard(well: boolean): void
}

export function batchCalls({ transport, clock, heard, sized }: BatchOptions): SendCall {
  const size = learnBatchSize(clock, sized)
  const lanes = openCallLanes()
  const largeOnes = rememberLargeOnes()
  let waiting: Waiting[] = []
  let lastId = 0
  const first: Round = { certain: asItFailed, heard }

  async function flush(): Promise<void> {
    const all = waiting
    waiting = []
    const { sends, awaited, shaped, large, reads } = sorted(all, ({ call }) => largeOnes.has(call))
    await Promise.all([
      exchangeAll(reads, first),
      exchangeAll(sends, first),
      ...awaited.map((one) => exchange([one], first)),
      ...large.map((one) => exchange([one], first)),
      ...shaped.map((one) => lanes.run(one.call, () => exchange([one], first))),
    ])
  }

  /**
   * Reads go out at once. Sends go out in order, one request after the other. After a send without an answer the rest
   * is not tried, since each would wait for a time-out of its own. Returns whether every request was answered, even
   * with an error.
   */
  async function exchangeAll(calls: readonly Waiting[], round: Round): Promise<boolean> {
    const underWay: Promise<boolean>[] = []
    const kind = calls.some(isSend) ? 'sends' : 'reads'
    for (let from = 0; from < calls.length; ) {
      const part = calls.slice(from, from + size.take(calls.length - from, kind))
      from += part.length
      const exchanged = exchange(part, round)
      underWay.push(exchanged)
      if (kind === 'reads' || (await exchanged)) continue
      fail(calls.slice(from), round.certain(notTried))
      return false
    }
    return (await Promise.all(underWay)).every((answered) => answered)
  }

  async function exchange(part: readonly Waiting[], round: Round): Promise<boolean> {
    const [lone, second] = part
    const answer = await transport.post(bodyOf(part), expectedAnswer(part))
    const posted = answer.kind === 'body' ? answer : round.certain(answer)
    const again = second && toRepeat(part, posted, size)
    if (again) {
      const others = part.filter((one) => !again.flat().includes(one))
      if (others.length > 0) settle(others, posted, round, part)
      const next = nextRound(heard, others.length > 0)
      return (await Promise.all(again.map((some) => exchangeAll(some, next)))).every((answered) => answered)
    }
    // A payload made it so large, so it is no failure of the endpoint.
    if (posted.kind !== 'body' && lone && !second && largeOnes.learn(lone.call, posted)) {
      fail(part, posted)
      return true
    }
    settle(part, posted, round)
    return posted.kind === 'body' || (posted.kind === 'unknown' && posted.status !== undefined)
  }

  /** `part`: those of the calls `exchanged` that are not repeated. */
  function settle(part: readonly Waiting[], posted: HttpAnswer, round: Round, exchanged = part): void {
    if (posted.kind !== 'body') {
      round.heard(false)
      fail(part, posted)
      return
    }
    const { answers, isSound } = answersIn(posted.json, part, exchanged, transport)
    round.heard(isSound && answers.some((answer) => answer.kind === 'value' || answer.kind === 'rpcError'))
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

interface AnswersInBody {
  /** Answers in the order of the calls. */
  readonly answers: readonly Answer[]
  /** A gateway that limits the rate, or mixes up its answers, rests as one that failed. */
  readonly isSound: boolean
}

/** The answers of a body to some of the calls that were exchanged. */
function answersIn(
  json: unknown,
  part: readonly Waiting[],
  exchanged: readonly Waiting[],
  { redact }: Pick<Transport, 'redact'>,
): AnswersInBody {
  const members = membersOf(json)
  const ids = exchanged.map(({ id }) => id)
  const { byId, areMixed } = matchIds(members.filter(isObject), ids)
  // Some nodes answer an early error of a lone call with a null id.
  const lone = part.length === 1 && members.length === 1 ? members.find(isObject) : undefined
  // A gateway's rate limit on a whole batch names none of its calls.
  const limit = members.find((member) => isObject(member) && isRateLimit(member))
  const answers = part.map((one) => {
    const member = byId.get(one.id) ?? (lone?.id === null ? lone : undefined) ?? limit
    return toAnswer(member, redact)
  })
  return { answers, isSound: limit === undefined && !areMixed }
}

const notTried: Failed = { kind: 'unsent', message: 'an earlier send got no answer' }

function fail(part: readonly Waiting[], failed: Failed): void {
  if (failed.kind === 'unsent') {
    for (const one of part) one.answer({ kind: 'unsent', message: failed.message })
    return
  }
  const { message, status, isTooLarge } = failed
  const answer: Answer = {
    ...{ kind: 'unknown', message },
    ...(isTooLarge === true && { isTooLarge }),
    ...(status !== undefined && { status }),
  }
  for (const one of part) one.answer(answer)
}

function asItFailed(failed: Failed): Failed {
  return failed
}

/** An endpoint that answered some calls is alive, whatever becomes of those that it left out. */
function nextRound(heard: Round['heard'], isAlive: boolean): Round {
  return { certain: inDoubt, heard: (well) => (well || !isAlive ? heard(well) : undefined) }
}

/** A node may have executed the calls of a batch that it refused. */
function inDoubt(failed: Failed): Failed {
  if (failed.kind !== 'unsent') return failed
  return { kind: 'unknown', message: `the node refused a batch with this call, and then: ${failed.message}` }
}

/** The calls of a batch that go out again at once, in one or two parts. Undefined where its answer stands. */
function toRepeat(
  part: readonly Waiting[],
  posted: HttpAnswer,
  size: BatchSize,
): readonly (readonly Waiting[])[] | undefined {
  const ids = part.map(({ id }) => id)
  const tooLarge = part.some(isSend) ? [] : tooLargeIn(posted, ids)
  if (tooLarge.length > 0 && tooLarge.length < part.length) return [part.filter(({ id }) => tooLarge.includes(id))]
  const large = part.filter(({ call }) => mayExceed(call))
  // A node that exceeds the limits of small answers answers wrongly, also in halves.
  if (tooLarge.length > 0 && (posted.kind === 'body' || large.length > 0)) return splitBatch(part, large)
  const reading = readBatch(posted, ids)
  if (reading === 'refused' || reading === 'limited') size.refused(part.length)
  if (reading === 'refused') return [part]
  const unanswered = reading === 'empty' ? ids : reading === 'answered' ? leftOutIn(posted, ids) : []
  if (reading === 'answered' && unanswered.length === 0) size.answered(part.length)
  if (unanswered.length === 0 || !size.partlyAnswered(part.length)) return undefined
  return [part.filter(({ id }) => unanswered.includes(id))]
}

/**
 * Sends are apart from reads, since a node may hang over a send, and the whole request with it. One that waits for its receipt has a
 * request of its own, and so have, of the others, those that a payload shapes and those that are large.
 */
function sorted(all: readonly Waiting[], isLarge: (one: Waiting) => boolean) {
  const awaited = all.filter(({ call }) => call.method === waitingSend)
  const sends = all.filter((one) => isSend(one) && !awaited.includes(one))
  const shaped = all.filter(({ call }) => isShapedByPayload(call))
  const large = all.filter((one) => isOfWholeBlock(one.call) || isLarge(one))
  const apart = new Set([...sends, ...awaited, ...shaped, ...large])
  return { sends, awaited, shaped, large, reads: all.filter((one) => !apart.has(one)) }
}

function isSend(waiting: Waiting): boolean {
  return sendMethods.includes(waiting.call.method)
}

function bodyOf(part: readonly Waiting[]): string {
  const [first, second] = part
  return JSON.stringify(first && !second ? toJson(first) : part.map(toJson))
}

function toJson({ id, call }: Waiting): object {
  return { jsonrpc: '2.0', id, method: call.method, params: call.params }
}

/**
 * Splits a batch whose answer was too large: the calls that may have large answers part from the others. Where all are of one kind,
 * there are two halves.
 */
function splitBatch<T>(calls: readonly T[], large: readonly T[]): readonly (readonly T[])[] {
  const small = calls.filter((call) => !large.includes(call))
  if (small.length > 0 && large.length > 0) return [small, large]
  const middle = Math.ceil(calls.length / 2)
  return [calls.slice(0, middle), calls.slice(middle)]
}

/** Remembers the reads whose answers exceeded the limit, so that they take no others of a batch with them again. */
interface LargeOnes {
  has(call: Call): boolean
  /** Whether a lone call's answer exceeded the limit because of a payload. */
  learn(call: Call, posted: HttpAnswer): boolean
}

/** The most reads that are remembered: with more, all are forgotten. */
const rememberedMax = 1_000

function rememberLargeOnes(): LargeOnes {
  const names = new Set<string>()
  return {
    has: (call) => names.size > 0 && names.has(nameOf(call)),
    learn(call, posted) {
      if (posted.kind !== 'unknown' || !posted.isTooLarge || !mayExceed(call)) return false
      if (names.size >= rememberedMax) names.clear()
      // Those that a payload shapes are alone anyway.
      if (!isShapedByPayload(call)) names.add(nameOf(call))
      return true
    },
  }
}

function nameOf({ method, params }: Call): string {
  return `${method} ${String(params[0])}`
}
