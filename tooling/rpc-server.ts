// A JSON-RPC endpoint whose manners the test decides: forwards to a real node, or drops, delays, swallows and refuses.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** One HTTP request, as it came in. */
export interface RpcRequest {
  readonly calls: readonly RpcCall[]
  readonly batch: boolean
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What the node behind answered, if it was passed on unchanged. */
  answer?: string
}

export type Reaction =
  /** Passes it on to the node behind, and the node's answer back. */
  | { readonly do: 'forward' }
  /** Passes it on to another node, and that node's answer back. */
  | { readonly do: 'forwardTo'; readonly url: string }
  /** Closes the connection; the node behind never receives it. */
  | { readonly do: 'drop' }
  /** Says nothing for ever; the node behind never receives it. */
  | { readonly do: 'ignore' }
  /** Passes it on, then says nothing for ever: accepted, without an answer. */
  | { readonly do: 'swallow' }
  /** Passes it on, then closes the connection. */
  | { readonly do: 'forwardAndDrop' }
  /** Passes it on, and the node's answer back; from then on connections are refused, as by a node that went down. */
  | { readonly do: 'forwardAndStop' }
  | { readonly do: 'delay'; readonly ms: number; readonly next: Reaction }
  /** Any HTTP status and body, JSON or not. */
  | { readonly do: 'say'; readonly status?: number; readonly body: string }
  /** Answers each call by itself; undefined leaves it out of the answer. */
  | { readonly do: 'answer'; readonly each: (call: RpcCall) => RpcReply | undefined }
  /** Answers the calls that `each` has an answer to, and passes on the others alone. */
  | { readonly do: 'answerSome'; readonly each: (call: RpcCall) => RpcReply | undefined }
  /** Answers each call by itself, one after the other, as nodes treat a batch. `cut` closes the connection. */
  | { readonly do: 'handle'; readonly each: (call: RpcCall) => Promise<RpcReply | 'cut'> }
  /** Passes it on, and puts these in place of the node's answers, or leaves them out. */
  | { readonly do: 'forwardBut'; readonly method: string; readonly reply: RpcReply | 'none' }
  /** Passes it on, and changes what the node answers to the method. */
  | { readonly do: 'forwardAltered'; readonly method: string; readonly alter: (result: unknown) => unknown }
  /** Passes it on, and lets `lie` change each answer, or leave it out. Undefined keeps the node's answer. */
  | { readonly do: 'lie'; readonly lie: (call: RpcCall, honest: RpcReply) => RpcReply | 'none' | undefined }
  /** What a node without batches does: one error for the whole. Single calls are passed on. */
  | { readonly do: 'refuseBatches'; readonly as: 'object' | 'array' }

export type RpcReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

interface Answered {
  readonly id: unknown
  readonly result?: unknown
}

type Forwarded = RpcReply & { readonly id: unknown }

export interface RpcServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Every HTTP request so far, oldest first. */
  readonly requests: readonly RpcRequest[]
  /** Every call so far, those inside batches one by one; of `method` only when it is named. */
  calls(method?: string): readonly RpcCall[]
  forget(): void
  /** How it treats requests from now on. A function may look at each. */
  react(reaction: Reaction | ((request: RpcRequest) => Reaction)): void
  stop(): Promise<void>
}

export async function startRpcServer(
  options: { readonly forwardTo?: string; readonly port?: number } = {},
): Promise<RpcServer> {
  const { forwardTo } = options
  let requests: RpcRequest[] = []
  let reaction: (request: RpcRequest) => Reaction = () =>
    forwardTo === undefined ? { do: 'say', status: 503, body: 'no node behind' } : { do: 'forward' }

  async function forward(body: string, url = forwardTo): Promise<{ status: number; text: string }> {
    if (url === undefined) throw new Error('this RPC server has no node behind it')
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return { status: answer.status, text: await answer.text() }
  }

  async function perform(act: Reaction, request: RpcRequest, body: string, response: ServerResponse): Promise<void> {
    switch (act.do) {
      case 'forward':
      case 'forwardTo': {
        const { status, text } = await forward(body, act.do === 'forwardTo' ? act.url : forwardTo)
        request.answer = text
        return say(response, status, text)
      }
      case 'drop':
        response.destroy()
        return
      case 'ignore':
        return
      case 'swallow':
        await forward(body)
        return
      case 'forwardAndDrop':
        await forward(body)
        response.destroy()
        return
      case 'forwardAndStop': {
        // The other connections go first: when a client has read this answer, all of them are closed.
        server.close()
        for (const socket of sockets) if (socket !== response.socket) socket.destroy()
        const { status, text } = await forward(body)
        response.setHeader('connection', 'close')
        return say(response, status, text)
      }
      case 'delay':
        await sleep(act.ms)
        return perform(act.next, request, body, response)
      case 'say':
        return say(response, act.status ?? 200, act.body)
      case 'answer': {
        const answers = request.calls.flatMap((call) => {
          const reply = act.each(call)
          return reply ? [{ jsonrpc: '2.0', id: call.id, ...reply }] : []
        })
        return say(response, 200, JSON.stringify(request.batch ? answers : answers[0]))
      }
      case 'answerSome': {
        const own = new Map(request.calls.map((call) => [call, act.each(call)]))
        const others = request.calls.filter((call) => !own.get(call))
        if (others.length === request.calls.length) return perform({ do: 'forward' }, request, body, response)
        const rest = others.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
        const forwarded = rest.length > 0 ? (JSON.parse((await forward(JSON.stringify(rest))).text) as unknown[]) : []
        const said = [...own].flatMap(([{ id }, reply]) => (reply ? [{ jsonrpc: '2.0', id, ...reply }] : []))
        const answers = [...said, ...forwarded]
        return say(response, 200, JSON.stringify(request.batch ? answers : answers[0]))
      }
      case 'handle': {
        const answers: object[] = []
        for (const call of request.calls) {
          const reply = await act.each(call)
          if (reply === 'cut') {
            response.destroy()
            return
          }
          answers.push({ jsonrpc: '2.0', id: call.id, ...reply })
        }
        return say(response, 200, JSON.stringify(request.batch ? answers : answers[0]))
      }
      case 'forwardBut': {
        const answers = [JSON.parse((await forward(body)).text) as { id: unknown } | { id: unknown }[]].flat()
        const kept = answers.flatMap((answer) => {
          const call = request.calls.find(({ id }) => id === answer.id)
          if (call?.method !== act.method) return [answer]
          return act.reply === 'none' ? [] : [{ jsonrpc: '2.0', id: answer.id, ...act.reply }]
        })
        return say(response, 200, JSON.stringify(request.batch ? kept : kept[0]))
      }
      case 'forwardAltered': {
        const answers = [JSON.parse((await forward(body)).text) as Answered | Answered[]].flat()
        const altered = answers.map((answer) => {
          const call = request.calls.find(({ id }) => id === answer.id)
          return call?.method === act.method ? { ...answer, result: act.alter(answer.result) } : answer
        })
        return say(response, 200, JSON.stringify(request.batch ? altered : altered[0]))
      }
      case 'lie': {
        const honest = [JSON.parse((await forward(body)).text) as Forwarded | Forwarded[]].flat()
        const answers = honest.flatMap((answer) => {
          const call = request.calls.find(({ id }) => id === answer.id)
          const reply = call && act.lie(call, answer)
          if (reply === 'none') return []
          return [reply ? { jsonrpc: '2.0', id: answer.id, ...reply } : answer]
        })
        return say(response, 200, JSON.stringify(request.batch ? answers : answers[0]))
      }
      case 'refuseBatches': {
        if (!request.batch) return perform({ do: 'forward' }, request, body, response)
        const refusal = {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32600, message: 'batch requests are not supported' },
        }
        return say(response, 200, JSON.stringify(act.as === 'array' ? [refusal] : refusal))
      }
    }
  }

  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await textOf(incoming)
      const parsed: unknown = JSON.parse(body)
      const batch = Array.isArray(parsed)
      const calls = (batch ? parsed : [parsed]) as RpcCall[]
      const request: RpcRequest = { calls, batch, path: incoming.url ?? '', headers: incoming.headers }
      requests.push(request)
      await perform(reaction(request), request, body, response)
    })().catch(() => response.destroy())
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get requests() {
      return requests
    },
    calls: (method) =>
      requests.flatMap(({ calls }) => calls).filter((call) => method === undefined || call.method === method),
    forget: () => {
      requests = []
    },
    react: (next) => {
      reaction = typeof next === 'function' ? next : () => next
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
