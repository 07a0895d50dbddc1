// Reads a relayer's current balance from its network (GET).
import { Type } from 'typebox'
import { readBalance } from '../../commands/relayers/read-balance.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { exactNumber } from '../response/exact-number.ts'
import { weiNumber } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'

const balanceSchema = Type.Object(
  {
    balance: weiNumber('With all digits. A parser of doubles loses some: `status` has the balance as text'),
    unit: Type.Literal('wei'),
  },
  { title: 'Balance', additionalProperties: false },
)

export function getRelayerBalance(reads: Reads, chainOf: ChainOf) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'NODE_UNAVAILABLE'],
    schema: {
      operationId: 'getRelayerBalance',
      summary: "Get a relayer's balance",
      tags: ['relayers'],
      params: relayerParameters,
      response: answers(balanceSchema),
    },
    async answer({ params }) {
      const balance = await readBalance(chainOf, await foundRelayer(reads, params.relayer_id))
      return success({ balance: exactNumber(balance), unit: 'wei' })
    },
  })
}
