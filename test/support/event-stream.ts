// A reader of the stream of events: what came, and the place to come back to, as a browser's EventSource keeps it.
import { Agent, request } from 'undici'
import type { TransactionView } from '../../tooling/client.ts'

export interface EventView {
  readonly id: string
  readonly event: string
  readonly timestamp: string
  readonly terminal: boolean
  readonly payload: TransactionView & { readonly payload_type: string }
  readonly cancellation?: { readonly state: string }
}

export interface EventStream extends AsyncDisposable {
  /** Of the answer; undefined until it came. */
  readonly status: number | undefined
  readonly headers: Record<string, string | string[] | undefined>
  /** The whole body of a refusal. */
  readonly refusal: unknown
  readonly events: readonly EventView[]
  /** What Last-Event-ID would be now. */
  readonly place: string | undefined
  /** Lines that carry no event. */
  readonly comments: number
  /** Resolves when the stream has ended, however. */
  readonly ended: Promise<void>
}

export function openEventStream(
  url: string,
  apiKey: string,
  options: { query?: string; lastEventId?: string | undefined } = {},
): EventStream {
  const agent = new Agent({ bodyTimeout: 0 })
  const events: EventView[] = []
  let place: string | undefined
  let comments = 0
  let status: number | undefined
  let headers: EventStream['headers'] = {}
  let refusal: unknown

  function take(block: string): void {
    let data = ''
    let name: string | undefined
    let id: string | undefined
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments += 1
      else if (line.startsWith('data: ')) data += line.slice(6)
      else if (line.startsWith('event: ')) name = line.slice(7)
      else if (line.startsWith('id: ')) id = line.slice(4)
    }
    if (id !== undefined) place = id
    if (data === '') return
    const view = JSON.parse(data) as EventView
    if (view.event !== name || view.id !== id) throw new Error(`the lines around an event differ from it: ${block}`)
    events.push(view)
  }

  async function read(): Promise<void> {
    const answer = await request(`${url}/api/v1/events${options.query ? `?${options.query}` : ''}`, {
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
      },
    })
    status = answer.statusCode
    headers = answer.headers
    if (status !== 200) {
      refusal = await answer.body.json()
      return
    }
    let rest = ''
    for await (const chunk of answer.body.setEncoding('utf8')) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  }

  let failure: unknown
  const ended = read().catch((error: unknown) => {
    failure = error
  })
  return {
    get status() {
      return status
    },
    get headers() {
      return headers
    },
    get refusal() {
      return refusal
    },
    events,
    get place() {
      return place
    },
    get comments() {
      return comments
    },
    ended,
    async [Symbol.asyncDispose]() {
      await agent.destroy()
      await ended
      if (failure instanceof Error && /differ|JSON/.test(failure.message)) throw failure
    },
  }
}
