// Lists the relayers that the key may see, each with its open transactions and the one that holds it up (GET).
import { type Static, Type } from 'typebox'
import { type Overview, readOverview } from '../../commands/relayers/read-overview.ts'
import type { OpenTransaction } from '../../domain/standing.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { visibleRelayers } from '../request/visible-relayers.ts'
import { answers, success } from '../response/envelope.ts'
import { presentTime } from '../response/present-time.ts'
import { waitSchema } from '../transactions/present-trace.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const openProperties = {
  id: Type.String(),
  nonce: Type.Optional(Type.Integer({ minimum: 0, description: 'Absent in the queue' })),
  created_at: Type.String({ format: 'date-time' }),
}

const overviewSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    network: Type.String(),
    address: Type.String(),
    paused: Type.Boolean(),
    queued: count('Without a nonce'),
    in_flight: count('With a nonce, in no block'),
    mined: count('In a block, not confirmed'),
    racing: count('Those in flight that are canceled, and not decided'),
    oldest: Type.Optional(
      Type.Object(openProperties, { additionalProperties: false, description: 'In no block, and sent first' }),
    ),
    held_up: Type.Optional(
      Type.Object(
        { ...openProperties, wait: waitSchema },
        {
          additionalProperties: false,
          description: 'The first that waits, and so holds up the others; else one whose finality is stalled',
        },
      ),
    ),
  },
  { additionalProperties: false },
)

export function getOverview(reads: Reads) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getOverview',
      summary: 'List relayers with their open transactions and their conditions',
      description: 'Reads the database only: balances are in the status of a relayer.',
      tags: ['relayers'],
      querystring: pageQuery,
      response: answers(Type.Array(overviewSchema), 400),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(reads, principal, page)
      const overviews = await Promise.all(items.map((relayer) => readOverview(reads, relayer)))
      return success(overviews.map(present), [], paginationOf(page, total))
    },
  })
}

function present({ relayer, oldest, heldUp, ...counts }: Overview): Static<typeof overviewSchema> {
  return {
    id: relayer.id,
    name: relayer.name,
    network: relayer.network,
    address: relayer.address,
    paused: relayer.paused,
    queued: counts.queued,
    in_flight: counts.inFlight,
    mined: counts.mined,
    racing: counts.racing,
    ...(oldest && { oldest: presentOpen(oldest) }),
    ...(heldUp && {
      held_up: { ...presentOpen(heldUp), wait: { condition: heldUp.wait.condition, text: heldUp.wait.text } },
    }),
  }
}

function presentOpen({ id, nonce, createdAt }: OpenTransaction) {
  return { id, ...(nonce !== undefined && { nonce }), created_at: presentTime(createdAt) }
}
