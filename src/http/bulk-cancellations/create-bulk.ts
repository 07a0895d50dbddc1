// Creates a bulk cancellation, and stops its relayers (POST).

import { createBulk as createBulkCommand } from '../../commands/bulk-cancellations/create.ts'
import type { BulkStops } from '../../commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../commands/context.ts'
import { isEverything } from '../../domain/bulk-filter.ts'
import { filteredBulksPerKeyMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { checkGrant, type Principal, permits } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { openPlaces } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { bulkBodySchema, bulkHeaders, requestOf } from './parse-bulk.ts'
import { bulkSchema, explainBulk, presentBulk } from './present-bulk.ts'

export function createBulk(commands: CommandContext, stops: Pick<BulkStops, 'stopAll' | 'costingOf' | 'reckoning'>) {
  const places = openPlaces(filteredBulksPerKeyMax)
  return operation({
    scope: 'cancel',
    refusals: [
      ...(['RELAYER_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'SYMBOLS_DIFFER', 'PRICE_UNOBSERVED'] as const),
      ...(['TOO_MANY_MATCHES', 'BULK_CANCELLATION_GONE'] as const),
    ],
    answerHeaders: ['Idempotency-Replayed'],
    audited: 'in its commit',
    operationId: 'createBulkCancellation',
    summary: 'Cancel the transactions that a filter matches',
    description:
      'Each relayer stops at one instant of its own, and every transaction that is `pending`, `sent` or `submitted` then, and that matches, is canceled. Responds once each relayer has stopped; long queues are written afterwards. An empty filter matches everything. With `pause`, each relayer is paused in the same commit, which needs the scope `pause` or `admin` as well. With `only` or `max_cost`, matches that cost more are left as they are, and listed with the reason. With `at_most`, nothing is canceled if more would be.',
    headers: bulkHeaders,
    body: bulkBodySchema,
    response: answers(bulkSchema),
    async answer(request, reply) {
      const { body, headers, principal } = request
      const { relayers, at_most: atMost } = body
      if (principal) refuseUngranted(principal, body)
      const terms = requestOf(body)
      const requester = requesterOf(request)
      // To cancel everything waits for nothing, and takes no look at a row that it leaves.
      const isQuick = isEverything(terms.filter) && atMost === undefined
      const leave = isQuick ? undefined : await places.wait(requester.keyId)
      const { bulk, replayed } = await createBulkCommand(commands, stops, {
        request: terms,
        relayers,
        ...(principal?.relayers && { visible: principal.relayers }),
        ...(atMost !== undefined && { atMost }),
        key: headers['idempotency-key'],
        requester,
      }).finally(leave)
      if (replayed) reply.header('idempotency-replayed', 'true')
      return success(presentBulk(bulk), explainBulk(bulk))
    },
  })
}

type Wish = Pick<Parameters<typeof requestOf>[0], 'pause' | 'relayers'>

/** Throws RELAYER_NOT_GRANTED and SCOPE_MISSING. */
export function refuseUngranted(principal: Principal, { pause, relayers }: Wish): void {
  if (relayers !== 'all') for (const id of relayers) checkGrant(principal, 'cancel', id)
  if (pause && !permits(principal, 'admin', undefined)) checkGrant(principal, 'pause', undefined)
}
