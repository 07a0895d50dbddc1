// GET of one relayer.
import type { Reads } from '../store/store.ts'
import { answers, success } from './envelope.ts'
import { foundRelayer } from './found.ts'
import { operation } from './operation.ts'
import { relayerParameters } from './parameters.ts'
import { type EndpointsOf, presentRelayer, relayerSchema } from './present-relayer.ts'

export function getRelayer(reads: Reads, endpointsOf: EndpointsOf) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getRelayer',
      summary: 'Get a relayer',
      tags: ['relayers'],
      params: relayerParameters,
      response: answers(relayerSchema, 400, 404),
    },
    answer: async ({ params }) => success(presentRelayer(await foundRelayer(reads, params.relayer_id), endpointsOf)),
  })
}
