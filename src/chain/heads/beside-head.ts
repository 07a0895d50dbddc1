// The calls that leave in the request that reads a head, so that what the next decision needs comes with it: in one round trip.
import type { Answer, Call } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

/**
 * The answer of an endpoint that came in one request with its head. Nothing ties an answer at `latest` to that head, so each reader says
 * when it stands. It is given once. Undefined: there is none.
 */
export type Beside = (endpoint: Endpoint, call: Call) => Promise<Answer> | undefined

export function callBeside(by: Endpoint, calls: readonly Call[]): Beside {
  const answers = new Map<string, Promise<Answer>>()
  for (const call of calls) if (!answers.has(nameOf(call))) answers.set(nameOf(call), by.call(call))
  return (endpoint, call) => {
    const answer = endpoint === by ? answers.get(nameOf(call)) : undefined
    if (answer) answers.delete(nameOf(call))
    return answer
  }
}

/** The endpoint as a reader calls it: an answer that came with the head is not requested again. */
export function answering(endpoint: Endpoint, beside: Beside | undefined): Pick<Endpoint, 'call' | 'strayed'> {
  return { strayed: endpoint.strayed, call: (one) => beside?.(endpoint, one) ?? endpoint.call(one) }
}

function nameOf({ method, params }: Call): string {
  return JSON.stringify([method, params])
}
