// Reports that the process is alive (GET): two letters of text, as probes and clients expect.
import { Type } from 'typebox'
import { operation } from '../request/operation.ts'

const healthSchema = Type.Literal('OK')

export function health() {
  return operation({
    schema: {
      operationId: 'getHealth',
      summary: 'Whether the process is alive',
      tags: ['service'],
      security: [],
      response: { 200: { description: 'It is', content: { 'text/plain': { schema: healthSchema } } } },
    },
    async answer(_request, reply) {
      reply.type('text/plain; charset=utf-8')
      return 'OK'
    },
  })
}
