// A node that answers some calls falsely: a proxy before a real node, whose lies the test chooses.
import { type Reaction, type RpcCall, type RpcReply, type RpcRequest, startRpcServer } from './rpc-server.ts'

/** The false answer to a call, given the true one. `none` leaves the call out of the answer; undefined passes the true answer. */
export type Lie = (call: RpcCall, honest: RpcReply) => RpcReply | 'none' | undefined

export interface LyingNode extends AsyncDisposable {
  readonly url: string
  /** Replaces the current lie. */
  lie(lie: Lie): void
  /** It treats whole requests so from now on, in place of any earlier lie. Requests that it does not forward are lies. */
  bend(reaction: (request: RpcRequest) => Reaction): void
  /** It gives these answers itself from now on, in place of any lie: the node behind never gets such a call. */
  withhold(each: (call: RpcCall) => RpcReply | undefined): void
  /** Passes true answers from now on. */
  repent(): void
  /** The number of false answers so far. A test in which nobody lied proves nothing. */
  lies(): number
  /** Every call so far, or those of one method. */
  calls(method?: string): readonly RpcCall[]
}

/** Starts a liar before the node at `nodeUrl`. At first it passes true answers. */
export async function startLyingNode(nodeUrl: string): Promise<LyingNode> {
  const server = await startRpcServer({ forwardTo: nodeUrl })
  let count = 0
  return {
    url: server.url,
    lie(lie) {
      server.react({
        do: 'lie',
        lie(call, honest) {
          const reply = lie(call, honest)
          if (reply !== undefined) count += 1
          return reply
        },
      })
    },
    bend(reaction) {
      server.react((request) => {
        const reacted = reaction(request)
        if (reacted.do !== 'forward') count += 1
        return reacted
      })
    },
    withhold(each) {
      server.react({
        do: 'answerSome',
        each(call) {
          const reply = each(call)
          if (reply !== undefined) count += 1
          return reply
        },
      })
    },
    repent: () => server.react({ do: 'forward' }),
    lies: () => count,
    calls: server.calls,
    [Symbol.asyncDispose]: server.stop,
  }
}

/** A lie about one method: its true result goes in, the false one comes out. Errors stay as they are. */
export function lieAbout(method: string, alter: (result: unknown, call: RpcCall) => unknown): Lie {
  return (call, honest) =>
    call.method === method && 'result' in honest ? { result: alter(honest.result, call) } : undefined
}
