// Follows the event stream, and resumes it after its last event when the connection ends.

import type { EventView } from './event-types.ts'
import { pause } from './pause.ts'
import { ApiError, answering, type Connection, NoAnswer } from './request.ts'

export interface EventFilter {
  readonly relayerId?: string
  readonly transactionId?: string
  /** The id of an event: the stream begins after it. Absent: it begins with new events. */
  readonly after?: string
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** Called when the service begins to stream: from now on no event is missed. */
  readonly onOpen?: () => void
}

const pauseMs = { first: 250, most: 10_000 }

/** Yields until `signal` aborts. Reconnects by itself; throws ApiError for a refusal that lasts, such as EVENTS_GONE. */
export async function* followEvents(connection: Connection, filter: EventFilter): AsyncGenerator<EventView, void> {
  const stop = AbortSignal.any([connection.signal, filter.signal].filter((signal) => signal !== undefined))
  let after = filter.after
  let waitMs = pauseMs.first
  while (!stop.aborted) {
    const position = after === undefined ? {} : { after }
    try {
      for await (const block of blocksOf(connection, { ...filter, ...position })) {
        waitMs = pauseMs.first
        const { id, data } = fieldsOf(block)
        after = id ?? after
        if (data !== undefined) yield JSON.parse(data)
      }
    } catch (error) {
      if (stop.aborted) return
      if (!isPassing(error)) throw error
    }
    await pause(waitMs, stop)
    waitMs = Math.min(2 * waitMs, pauseMs.most)
  }
}

/** Whether the next try may succeed: a refusal for lack of room passes, and so does a restart. */
function isPassing(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
}

/** The lines between two empty lines of the stream. */
async function* blocksOf(connection: Connection, filter: EventFilter): AsyncGenerator<readonly string[]> {
  const { relayerId, transactionId, after, signal, onOpen } = filter
  const query = { relayer_id: relayerId, transaction_id: transactionId, after }
  const request = { method: 'GET', path: '/events', query, ...(signal && { signal }) } as const
  const reader = await answering(connection, request, undefined, async ({ body }) => body?.getReader())
  if (!reader) return
  onOpen?.()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new NoAnswer('the stream ended early', false, { cause })
      })
      if (done) return
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield block.split('\n')
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function fieldsOf(block: readonly string[]): { readonly id?: string; readonly data?: string } {
  const field = (name: string) => block.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const [id, data] = [field('id'), field('data')]
  return { ...(id !== undefined && { id }), ...(data !== undefined && { data }) }
}
