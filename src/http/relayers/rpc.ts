// Reads the relayer's chain by a JSON-RPC request (POST). The response is JSON-RPC too, for any client that speaks it.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import { rpc as rpcCommand } from '../../commands/relayers/rpc.ts'
import type { Reads } from '../../store/store.ts'
import { rpcAnswerBytesMaxDefault, rpcPerKeyMax } from '../limits.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { type OperationReply, operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { limitReads } from '../request/places.ts'
import { type RpcBody, rpcBodySchema } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'

const idSchema = Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Null()], {
  description: 'a text or a number, which the response repeats',
})

const requestSchema = closed('RpcRequest', {
  examples: [
    { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
    {
      ...{ jsonrpc: '2.0', id: 2, method: 'eth_getBalance' },
      params: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'latest'],
    },
  ],
})({
  jsonrpc: Type.Literal('2.0', { description: 'the text "2.0"' }),
  method: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'the name of a method, such as "eth_getBalance"',
  }),
  params: Type.Optional(Type.Unknown({ description: "a list of the method's parameters" })),
  id: Type.Optional(idSchema),
})

export function rpc(reads: Reads, chainOf: ChainOf, bytesMax = rpcAnswerBytesMaxDefault) {
  const limited = limitReads('requests of a node', rpcPerKeyMax)
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TOO_MANY_READS', 'NODE_UNAVAILABLE'],
    operationId: 'rpc',
    summary: "Read the relayer's chain by JSON-RPC",
    description:
      'Forwards methods that read to a node of the network, and to the next node if that one does not answer. Methods that send, sign, subscribe or inspect the node are refused with status 200 and a JSON-RPC error. So is an answer that is too large. Batches are refused.',
    params: relayerParameters,
    body: requestSchema,
    response: { 200: rpcBodySchema },
    async answer(request, reply) {
      const { params, body } = request
      const call = { method: body.method, params: body.params ?? [], bytesMax }
      const read = () => rpcCommand(reads, chainOf, params.relayer_id, call)
      const answered = await limited(requesterIdOf(request), read)
      const named = { jsonrpc: '2.0', ...(body.id !== undefined && { id: body.id }) } as const
      if ('result' in answered) return sendResult(reply, named, answered.result)
      return { ...named, error: present(answered, call) }
    },
  })
}

/** The node's own bytes, between those of the answer around them. */
function sendResult(reply: OperationReply, named: object, result: Buffer): OperationReply {
  const parts = [Buffer.from(`${JSON.stringify(named).slice(0, -1)},"result":`), result, Buffer.from('}')]
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  const content = Readable.from(parts, { objectMode: false })
  return reply.type('application/json; charset=utf-8').header('content-length', bytes).send(content)
}

/** EIP-1474: a limit is exceeded. */
const limitExceeded = -32005

type Unsuccessful = Exclude<Awaited<ReturnType<typeof rpcCommand>>, { readonly result: Buffer }>

function present(answered: Unsuccessful, { method }: { readonly method: string }): NonNullable<RpcBody['error']> {
  if ('error' in answered) return { ...answered.error, description: 'The node answered with this error.' }
  if ('refused' in answered) return { ...answered.refused, description: 'No node received the request.' }
  const message = `${method}: the answer is larger than ${answered.beyond} bytes; request less`
  return { code: limitExceeded, message, description: 'A node answered, and this service passes on no more bytes.' }
}
