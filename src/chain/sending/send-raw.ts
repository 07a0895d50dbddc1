// Sends signed bytes to one endpoint by the method that the profile names, or by eth_sendRawTransaction where the node
// does not have that method.
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Clock } from '../../ops/clock.ts'
import { waitingSend } from '../../ops/send-methods.ts'
import type { BroadcastRequest } from '../chain.ts'
import type { Answer, Call } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { isAboutTransaction } from './broadcast-outcome.ts'

type SendMethods = Pick<NetworkProfile, 'sendSync' | 'sendConditional'>
export type SendRaw = (endpoint: Endpoint, request: BroadcastRequest) => Promise<Answer>

/** JSON-RPC 2.0: "method not found" and "invalid params". Nothing was done. */
const unsupported: readonly number[] = [-32601, -32602]
/** A node that lacks a method may have it after an upgrade. */
const lackedMs = 3_600_000

/** Limit of sends in a row that HTTP alone answers: a gateway may refuse a method so, or end the wait for a receipt. */
const byHttpMax = 3

/** Limit of sends that wait for their receipts at an endpoint. Further ones go by the usual method: none waits for another. */
const waitingMax = 16

export function openSendRaw(methods: SendMethods, clock: Clock): SendRaw {
  /** When endpoints said that they lack a method, by the index of the endpoint and the method. */
  const lacked = new Map<string, number>()
  /** Sends that wait for their receipts, by the index of the endpoint. */
  const waiting = new Map<number, number>()
  /** Sends in a row that HTTP alone answered, by the index of the endpoint and the method. */
  const byHttp = new Map<string, number>()

  function mayTake({ index }: Endpoint, { method }: Call): boolean {
    const since = lacked.get(`${index} ${method}`)
    if (since !== undefined && clock.elapsed() - since < lackedMs) return false
    return method !== waitingSend || (waiting.get(index) ?? 0) < waitingMax
  }

  async function prefer(endpoint: Endpoint, call: Call): Promise<Answer> {
    const { index } = endpoint
    const change = (by: number) => {
      if (call.method === waitingSend) waiting.set(index, (waiting.get(index) ?? 0) + by)
    }
    change(1)
    const answer = await endpoint.call(call)
    change(-1)
    const key = `${index} ${call.method}`
    const inRow = answer.kind === 'unknown' && answer.status !== undefined ? (byHttp.get(key) ?? 0) + 1 : 0
    byHttp.set(key, inRow)
    const isRefused = call.method === waitingSend && inRow >= byHttpMax
    if (isRefused || isForeignTo(answer, call)) lacked.set(key, clock.elapsed())
    return answer
  }

  return async (endpoint, request) => {
    const preferred = preferredCall(request, methods)
    const usual = () => endpoint.call({ method: 'eth_sendRawTransaction', params: [request.raw] })
    if (!preferred || !mayTake(endpoint, preferred)) return usual()
    const answer = await prefer(endpoint, preferred)
    if (!isForeignTo(answer, preferred)) return answer
    if (unsupported.includes(answer.code)) return usual()
    // The words of a gateway that lacks the method, or of a node that failed with the bytes: no refusal is certain after that.
    if (!((await request.stillWanted?.()) ?? true)) return answer
    const second = await usual()
    return second.kind === 'value' ? second : answer
  }
}

/**
 * An error about the method; or, of a send that waits, one in no client's table. Such words do not let a conditional send go on by the
 * usual method, which does not enforce its end.
 */
function isForeignTo(answer: Answer, { method }: Call): answer is Extract<Answer, { kind: 'rpcError' }> {
  if (answer.kind !== 'rpcError') return false
  return unsupported.includes(answer.code) || (method === waitingSend && !isAboutTransaction(answer))
}

function preferredCall({ raw, validUntil }: BroadcastRequest, methods: SendMethods): Call | undefined {
  if (methods.sendConditional && validUntil !== undefined) {
    // In whole seconds, so that the sequencer never orders it later than its client allows.
    const timestampMax = `0x${Math.floor(validUntil / 1_000).toString(16)}`
    return { method: 'eth_sendRawTransactionConditional', params: [raw, { timestampMax }] }
  }
  // Without its time-out: nodes read it as a number or as hex, and refuse the other.
  return methods.sendSync ? { method: waitingSend, params: [raw] } : undefined
}
