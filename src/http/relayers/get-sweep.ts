// Reads the newest sweep of a relayer (GET).
import { readSweep } from '../../commands/relayers/sweep.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found, foundHistory } from '../response/found.ts'
import { presentSweep, sweepSchema } from './present-sweep.ts'

export function getSweep(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'SWEEP_NOT_FOUND'],
    schema: {
      operationId: 'getSweep',
      summary: 'Get the last sweep of a relayer',
      description: 'The transaction that empties the account, or did, as long as its row stays.',
      tags: ['relayers'],
      params: relayerParameters,
      response: answers(sweepSchema),
    },
    async answer({ params }) {
      const sweep = await readSweep(reads, await foundHistory(reads, params.relayer_id))
      return success(presentSweep(found(sweep, 'SWEEP_NOT_FOUND', 'nobody has swept this relayer')))
    },
  })
}
