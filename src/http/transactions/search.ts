// Finds relayers and transactions by an id, a hash or an address (GET).
import { Type } from 'typebox'
import { type SearchContext, search as searchCommand } from '../../commands/transactions/search.ts'
import type { TransactionId } from '../../domain/ids.ts'
import { costlyReadsPerKeyMax, searchedRelayersMax } from '../limits.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { visibleRelayers } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { limitReads } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some, such } from '../response/forms.ts'

const findingSchema = closed('Finding')({
  relayer_id: such('local'),
  transaction_id: Type.Optional(such(some.transactionId, 'Absent: the relayer itself was found')),
})

const querySchema = Type.Object(
  {
    query: Type.Unsafe<TransactionId>(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,100}$',
        description: 'an id of a relayer or of a transaction, the hash of an attempt, or the address of a relayer',
        examples: ['local'],
      }),
    ),
  },
  { additionalProperties: false },
)

export function search(context: SearchContext) {
  const limited = limitReads('searches', costlyReadsPerKeyMax)
  return operation({
    scope: 'read',
    refusals: ['TOO_MANY_READS'],
    operationId: 'search',
    summary: 'Find relayers and transactions by an id, a hash or an address',
    description: 'The hash of a mined transaction is found while a node of its network answers.',
    querystring: querySchema,
    response: answers(Type.Array(findingSchema)),
    async answer(request) {
      const { query, principal } = request
      const findings = await limited(requesterIdOf(request), async () => {
        const { items } = await visibleRelayers(context.reads, principal, { page: 1, perPage: searchedRelayersMax })
        return searchCommand(context, items, query.query)
      })
      return success(
        findings.map(({ relayerId, transactionId }) => ({
          relayer_id: relayerId,
          ...(transactionId !== undefined && { transaction_id: transactionId }),
        })),
      )
    },
  })
}
