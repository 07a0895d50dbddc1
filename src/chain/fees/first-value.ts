// Reads a fact of the network from the first endpoint that has it, once a head for all relayers.
import type { Hash } from '../../domain/ids.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { type Call, describeAnswer } from '../nodes/call.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'

/** Simultaneous readers share one reading. A reading that failed is repeated by the next step. */
export function readOnceAHead<T>() {
  let reading: { readonly head: Hash; readonly value: Promise<T | undefined> } | undefined
  return async (head: Hash, read: () => Promise<T | undefined>): Promise<T | undefined> => {
    if (reading?.head !== head) reading = { head, value: read() }
    const own = reading
    const value = await own.value
    if (value === undefined && reading === own) reading = undefined
    return value
  }
}

export async function firstValue<T>(
  endpoints: Endpoints,
  at: TrackedHead,
  call: Call,
  decode: (value: unknown) => T | undefined,
): Promise<T | undefined> {
  const found = await endpoints
    .firstAnswer(async (endpoint): Promise<ReadResult<T>> => {
      const answer = await endpoint.call(call)
      const value = answer.kind === 'value' ? decode(answer.value) : undefined
      return value === undefined ? { failed: describeAnswer(answer) } : { value }
    }, at.by)
    .catch(() => undefined)
  return found?.value
}
