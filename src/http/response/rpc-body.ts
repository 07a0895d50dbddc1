// The response to a JSON-RPC client: the one JSON body that is not an envelope.
import { type Static, Type } from 'typebox'

export const rpcBodySchema = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    result: Type.Optional(Type.Unknown({ description: "The node's result" })),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Number(),
          message: Type.String(),
          description: Type.String({ description: 'Whether the node or this service returned the error' }),
          data: Type.Optional(Type.Unknown({ description: 'For example the bytes that a call reverted with' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { title: 'RpcAnswer', additionalProperties: false, examples: [{ jsonrpc: '2.0', id: 1, result: '0x412' }] },
)

export type RpcBody = Static<typeof rpcBodySchema>
