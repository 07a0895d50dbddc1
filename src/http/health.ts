// GET of health: the process lives and answers.
import { Type } from 'typebox'
import { success, successSchema } from './envelope.ts'
import { operation } from './operation.ts'

const healthSchema = Type.Object({ status: Type.Literal('ok'), version: Type.String() })

export function health(version: string) {
  return operation({
    schema: {
      operationId: 'getHealth',
      summary: 'Whether the process lives',
      tags: ['service'],
      security: [],
      response: { 200: successSchema(healthSchema) },
    },
    answer: async () => success({ status: 'ok', version }),
  })
}
