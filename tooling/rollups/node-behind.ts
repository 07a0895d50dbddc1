// The node that executes for a proxy: what the proxy calls itself, and what it passes on.
import type { Hex } from 'viem'
import { hex } from '../ledger.ts'
import type { RpcCall, RpcReply } from '../rpc-server.ts'

export interface NodeBehind {
  readonly url: string
  /** The node's answer, error or not. */
  reply(method: string, params: readonly unknown[]): Promise<RpcReply>
  /** Rejects with the node's message. */
  value<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
}

/** Of geth's RPC server, and so of op-geth and Nitro. */
export const noSuchMethod = (method: string): RpcReply => ({
  error: { code: -32601, message: `the method ${method} does not exist/is not available` },
})

/** The code that geth gives to errors without one of their own. */
export const refusal = (message: string, code = -32_000): RpcReply => ({ error: { code, message } })

export function nodeBehind(url: string): NodeBehind {
  let id = 0
  async function reply(method: string, params: readonly unknown[]): Promise<RpcReply> {
    id += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: number; message: string } }
    return error ? { error } : { result }
  }
  return {
    url,
    reply,
    value: async <T>(method: string, params: readonly unknown[] = []) => {
      const given = await reply(method, params)
      if ('error' in given) throw new Error(`${method}: ${given.error.message} (${given.error.code})`)
      return given.result as T
    },
  }
}

/** The methods that a proxy answers itself; the others it passes on. */
export type Methods = Readonly<Record<string, (call: RpcCall) => Promise<RpcReply | 'cut'>>>

/** Changes a result that is there; an error or null passes unchanged. */
export function altered<T>(reply: RpcReply, alter: (result: T) => unknown): RpcReply {
  return 'error' in reply || reply.result === null ? reply : { result: alter(reply.result as T) }
}

/**
 * Takes what a rollup charges beside the gas of the EVM from a sender's balance, or gives back what it does not charge. After the
 * block was made, and before anybody may read it.
 */
export async function charge(node: NodeBehind, address: string, wei: bigint): Promise<void> {
  if (wei === 0n) return
  const balance = BigInt(await node.value<Hex>('eth_getBalance', [address, 'latest']))
  const left = balance - wei
  await node.value('anvil_setBalance', [address, hex(left < 0n ? 0n : left)])
}
