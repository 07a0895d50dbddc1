// Reads the relayer's chain by a JSON-RPC request (POST). The response is JSON-RPC too, for any client that speaks it.
import { Type } from 'typebox'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import { rpc as rpcCommand } from '../../commands/relayers/rpc.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { type RpcBody, rpcBodySchema } from '../response/rpc-body.ts'

const idSchema = Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Null()], {
  description: 'a text or a number, which the response repeats',
})

const requestSchema = Type.Object(
  {
    jsonrpc: Type.Literal('2.0', { description: 'the text "2.0"' }),
    method: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'the name of a method, such as "eth_getBalance"',
    }),
    params: Type.Optional(Type.Unknown({ description: "a list of the method's parameters" })),
    id: Type.Optional(idSchema),
  },
  {
    title: 'RpcRequest',
    additionalProperties: false,
    examples: [
      { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
      {
        ...{ jsonrpc: '2.0', id: 2, method: 'eth_getBalance' },
        params: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'latest'],
      },
    ],
  },
)

export function rpc(reads: Reads, chainOf: ChainOf) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'NODE_UNAVAILABLE'],
    schema: {
      operationId: 'rpc',
      summary: "Read the relayer's chain by JSON-RPC",
      description:
        'Forwards methods that read to a node of the network, and to the next node if that one does not answer. Methods that send, sign, subscribe or inspect the node are refused with status 200 and a JSON-RPC error. Batches are refused.',
      tags: ['relayers'],
      params: relayerParameters,
      body: requestSchema,
      response: { 200: rpcBodySchema },
    },
    async answer({ params, body }): Promise<RpcBody> {
      const call = { method: body.method, params: body.params ?? [] }
      const answered = await rpcCommand(reads, chainOf, params.relayer_id, call)
      return { jsonrpc: '2.0', ...(body.id !== undefined && { id: body.id }), ...present(answered) }
    },
  })
}

function present(answered: Awaited<ReturnType<typeof rpcCommand>>): Pick<RpcBody, 'result' | 'error'> {
  if ('value' in answered) return { result: answered.value }
  if ('refused' in answered) return { error: { ...answered.refused, description: 'No node received the request.' } }
  return { error: { ...answered.error, description: 'The node answered with this error.' } }
}
