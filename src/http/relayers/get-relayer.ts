// Reads one relayer (GET).
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { foundRelayer } from '../response/found.ts'
import { type EndpointsOf, presentRelayer, relayerSchema } from './present-relayer.ts'

export function getRelayer(reads: Reads, endpointsOf: EndpointsOf) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    schema: {
      operationId: 'getRelayer',
      summary: 'Get a relayer',
      tags: ['relayers'],
      params: relayerParameters,
      response: answers(relayerSchema),
    },
    answer: async ({ params }) => success(presentRelayer(await foundRelayer(reads, params.relayer_id), endpointsOf)),
  })
}
