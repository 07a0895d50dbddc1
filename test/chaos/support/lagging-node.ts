// A node a few blocks behind the real one, which answers as a node does that has not received the newest blocks yet, and
// which loses every second answer after doing its work.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { hex } from '../../../tooling/ledger.ts'
import type { RpcCall, RpcReply } from '../../../tooling/rpc-server.ts'

export interface LaggingNode extends AsyncDisposable {
  readonly url: string
  readonly answered: number
  readonly lost: number
  /** Calls of a block that it does not have yet, and receipts that it kept to itself. */
  readonly behind: number
}

/** By method: which parameter names the block. */
const blockParameters: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
}

export async function startLaggingNode(nodeUrl: string, lagBlocks: number): Promise<LaggingNode> {
  const reported = { answered: 0, lost: 0, behind: 0 }

  async function ask(method: string, params: readonly unknown[]): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: number; message: string } }
    return error ? { error } : { result }
  }

  async function numberFrom(method: string, params: readonly unknown[]): Promise<number> {
    const reply = await ask(method, params)
    if ('error' in reply) throw new Error(reply.error.message)
    return Number(reply.result)
  }

  async function answer({ method, params }: RpcCall, height: number): Promise<RpcReply> {
    const at = blockParameters[method]
    if (at !== undefined) {
      const block = params[at]
      if (typeof block === 'string' && block.startsWith('0x') && Number(block) > height) {
        reported.behind += 1
        if (method.startsWith('eth_getBlock')) return { result: null }
        return { error: { code: -32000, message: 'header not found' } }
      }
      const named = typeof block === 'string' && block.startsWith('0x') ? block : hex(height)
      return ask(method, [...params.slice(0, at), named, ...params.slice(at + 1)])
    }
    if (method === 'eth_blockNumber') return { result: hex(height) }
    const reply = await ask(method, params)
    if (method === 'eth_getTransactionReceipt' && isAbove(reply, height)) {
      reported.behind += 1
      return { result: null }
    }
    if (method === 'eth_sendRawTransaction' && 'error' in reply) return taken(params[0] as Hex, height, reply)
    return reply
  }

  /** A transaction too late for the real chain is in time for its own: it takes it, to no effect. */
  async function taken(raw: Hex, height: number, refusal: RpcReply): Promise<RpcReply> {
    if (!('error' in refusal) || !/nonce too low/i.test(refusal.error.message)) return refusal
    const sender = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
    const spentBelow = await numberFrom('eth_getTransactionCount', [sender, hex(height)])
    return (parseTransaction(raw).nonce ?? 0) >= spentBelow ? { result: keccak256(raw) } : refusal
  }

  const server = createServer(async (request, response) => {
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const parsed = JSON.parse(body) as RpcCall | RpcCall[]
      const height = Math.max(0, (await numberFrom('eth_blockNumber', [])) - lagBlocks)
      const answers = []
      for (const call of [parsed].flat()) {
        const reply = await answer(call, height)
        answers.push({ jsonrpc: '2.0', id: call.id, ...reply })
      }
      if (reported.answered > reported.lost) {
        reported.lost += 1
        response.destroy()
        return
      }
      reported.answered += 1
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get answered() {
      return reported.answered
    },
    get lost() {
      return reported.lost
    },
    get behind() {
      return reported.behind
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function isAbove(reply: RpcReply, height: number): boolean {
  if (!('result' in reply)) return false
  const { blockNumber } = (reply.result ?? {}) as { blockNumber?: string }
  return Number(blockNumber ?? 0) > height
}
