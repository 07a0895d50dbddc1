// Passes a client's read on to one endpoint, and to the next one where that fails.
import type { ChainRead, ForwardedAnswer, ForwardedRead, ReadAnswer } from '../chain.ts'
import type { Endpoints } from './endpoints.ts'

/** Rejects with ChainUnavailable when no endpoint answers. A node's error is an answer. */
export async function forwardRead(endpoints: Endpoints, read: ChainRead): Promise<ReadAnswer> {
  const { value } = await endpoints.firstAnswer<ReadAnswer>(async (endpoint) => {
    const answer = await endpoint.callOnOwnConnection(read)
    if (answer.kind === 'value') return { value: { value: answer.value } }
    if (answer.kind !== 'rpcError') return { failed: answer.message }
    const { code, message, data } = answer
    return { value: { error: { code, message, ...(data !== undefined && { data: endpoint.redacted(data) }) } } }
  })
  return value
}

/** Forwards a read as `forwardRead` does, with the result as bytes. */
export async function forward(endpoints: Endpoints, read: ForwardedRead): Promise<ForwardedAnswer> {
  const { value } = await endpoints.firstAnswer<ForwardedAnswer>((endpoint) => endpoint.forward(read))
  return value
}
