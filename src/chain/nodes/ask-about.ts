// Reads a thing that the call names from an endpoint: a block by its number, a receipt by its hash. A gateway that mixes
// up its cache answers about another one. Such an answer is none, and counts against the endpoint.
import { type Call, describeAnswer, isAnswered, isTooLarge } from './call.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * `why`: the node answered and has `none` such, or one that is too large to be read, also the next time (a payload can log
 * megabytes); it answered about `another` one; or it gave `noAnswer`.
 */
export type NodeReply<T> =
  | { readonly value: T }
  | { readonly failed: string; readonly why: 'none' | 'another' | 'noAnswer' }

/** `decode` returns undefined for a value of the wrong shape, `isAbout` whether it is the thing that `call` names. */
export async function askAbout<T>(
  endpoint: Pick<Endpoint, 'call' | 'strayed'>,
  call: Call,
  decode: (value: unknown) => T | undefined,
  isAbout: (value: T) => boolean,
): Promise<NodeReply<T>> {
  const answer = await endpoint.call(call)
  const value = answer.kind === 'value' ? decode(answer.value) : undefined
  if (value === undefined) {
    const isDenial = isAnswered(answer) || isTooLarge(answer)
    return { failed: describeAnswer(answer), why: isDenial ? 'none' : 'noAnswer' }
  }
  if (isAbout(value)) return { value }
  endpoint.strayed(call.method)
  return { failed: 'an answer to another question', why: 'another' }
}

export function valueIn<T>(reply: NodeReply<T>): T | undefined {
  return 'value' in reply ? reply.value : undefined
}
