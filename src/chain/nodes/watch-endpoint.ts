// What the calls to one endpoint show of it: head, client, chain id, latency, and how calls end. It only listens, so no call waits for it.
import {
  latencyCallsMax,
  type NodeCalls,
  type NodeFailure,
  type NodeHead,
  type NodeLatency,
  type NodeView,
} from '../../domain/node-report.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { blockMethod } from './block-call.ts'
import type { Answer, Call, SendCall } from './call.ts'
import { toHead, toNumber } from './decode.ts'

interface EndpointWatch {
  /** The calls of `send`, watched. */
  readonly watched: (send: SendCall) => SendCall
  figures(): EndpointFigures
}

export type EndpointFigures = Pick<
  NodeView,
  'client' | 'chainId' | 'head' | 'calls' | 'latency' | 'lastFailure' | 'lastRpcError'
>

interface WatchEndpoint {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** Takes the endpoint's secrets out of a node's own words. */
  readonly redact: (text: string) => string
  /** The number of the head that the network believes now. */
  readonly believed: () => BlockNumber | undefined
  /** Called at the end of each call. */
  readonly called: (method: string, answer: Answer['kind'], ms: number) => void
}

const minuteMs = 60_000
const minutesKept = 60
const clientCharsMax = 100
const wordsCharsMax = 200

type Counts = { -readonly [Name in Exclude<keyof NodeCalls, 'since'>]: number }
type Minute = Counts & { readonly minute: number }

export function watchEndpoint({ clock, redact, believed, called }: WatchEndpoint): EndpointWatch {
  const begunAt = clock.now()
  const minutes: Minute[] = []
  /** The last ones, overwritten in turn. */
  const latencies: number[] = []
  let measured = 0
  let shown: Pick<EndpointFigures, 'client' | 'chainId' | 'head' | 'lastFailure' | 'lastRpcError'> = {}

  function countsNow(): Counts {
    const minute = Math.floor(clock.elapsed() / minuteMs)
    while (minutes[0] && minutes[0].minute <= minute - minutesKept) minutes.shift()
    const last = minutes.at(-1)
    if (last?.minute === minute) return last
    const next = { minute, total: 0, rpcErrors: 0, unanswered: 0, unsent: 0 }
    minutes.push(next)
    return next
  }

  function ended({ method, params }: Call, answer: Answer, begun: number): void {
    const at = clock.now()
    const ms = clock.elapsed() - begun
    called(method, answer.kind, ms)
    if (answer.kind === 'unknown' || answer.kind === 'unsent') {
      const kind = answer.kind === 'unknown' ? 'unanswered' : 'unsent'
      countsNow()[kind] += 1
      shown = { ...shown, lastFailure: failureOf(answer, kind, method, at) }
      return
    }
    latencies[measured % latencyCallsMax] = ms
    measured += 1
    if (answer.kind === 'rpcError') {
      countsNow().rpcErrors += 1
      const { code, message } = answer
      shown = { ...shown, lastRpcError: { at, method, code, words: message.slice(0, wordsCharsMax) } }
      return
    }
    shown = { ...shown, ...shownBy(method, params, answer.value, at) }
  }

  function shownBy(method: string, params: Call['params'], value: unknown, at: number): typeof shown {
    if (method === blockMethod && params[0] === 'latest') return headOf(value, at)
    if (method === 'eth_chainId') {
      const chainId = toNumber(value)
      return chainId === undefined ? {} : { chainId }
    }
    if (method !== 'web3_clientVersion' || typeof value !== 'string') return {}
    return { client: redact(value.slice(0, clientCharsMax)) }
  }

  function headOf(value: unknown, readAt: number): { head?: NodeHead } {
    const head = toHead(value)
    if (!head) return {}
    const behind = Math.max(0, (believed() ?? head.number) - head.number)
    return { head: { number: head.number, madeAt: head.timestampMs, readAt, behind } }
  }

  return {
    watched: (send) => (call) => {
      const begun = clock.elapsed()
      countsNow().total += 1
      const answer = send(call)
      // In parallel to the answer's delivery to its caller. Thousands of calls may be under way, so each is listened to once.
      void answer.then((answered) => ended(call, answered, begun))
      return answer
    },
    figures() {
      countsNow()
      const since = Math.max(begunAt, clock.now() - minutesKept * minuteMs)
      const latency = latencyOf(latencies)
      return { ...shown, calls: { since, ...sumOf(minutes) }, ...(latency && { latency }) }
    },
  }
}

function failureOf(
  { message, ...answer }: Extract<Answer, { kind: 'unknown' | 'unsent' }>,
  kind: NodeFailure['kind'],
  method: string,
  at: number,
): NodeFailure {
  const status = 'status' in answer ? answer.status : undefined
  return { at, method, kind, ...(status !== undefined && { status }), words: message.slice(0, wordsCharsMax) }
}

function sumOf(minutes: readonly Minute[]): Counts {
  const sum = { total: 0, rpcErrors: 0, unanswered: 0, unsent: 0 }
  for (const each of minutes) {
    sum.total += each.total
    sum.rpcErrors += each.rpcErrors
    sum.unanswered += each.unanswered
    sum.unsent += each.unsent
  }
  return sum
}

function latencyOf(latencies: readonly number[]): NodeLatency | undefined {
  const sorted = [...latencies].sort((one, other) => one - other)
  const at = (part: number) => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? 0)
  return sorted.length === 0 ? undefined : { p50Ms: at(0.5), p95Ms: at(0.95), calls: sorted.length }
}
