// Lists the relayers that the key may see, each with its open transactions and the one that holds it up (GET).
import { type Static, Type } from 'typebox'
import { networkPrice } from '../../commands/relayers/network-price.ts'
import { type Overview, readOverview } from '../../commands/relayers/read-overview.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import type { NetworkPrice } from '../../domain/fees.ts'
import type { OpenTransaction } from '../../domain/standing.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { visibleRelayers } from '../request/visible-relayers.ts'
import { answers, success } from '../response/envelope.ts'
import { address, count, some, such, time, wei } from '../response/forms.ts'
import { networkPriceSchema, presentPrice } from '../response/present-price.ts'
import { presentTime } from '../response/present-time.ts'
import { presentWait, waitSchema } from '../transactions/present-wait.ts'

const openProperties = {
  id: such(some.transactionId),
  nonce: Type.Optional(Type.Integer({ minimum: 0, description: 'Absent in the queue' })),
  created_at: time(),
}

const overviewSchema = Type.Object(
  {
    id: such('local'),
    name: such('Payouts'),
    network: such('sepolia'),
    address: address(),
    paused: Type.Boolean(),
    queued: count('Without a nonce'),
    in_flight: count('With a nonce, in no block'),
    mined: count('In a block, not confirmed'),
    racing: count('Those in flight that are canceled, and not decided'),
    gas_price_cap: Type.Optional(wei('Wei: the policy, as text with every digit; absent without one')),
    network_price: Type.Optional(networkPriceSchema),
    oldest: Type.Optional(
      Type.Object(openProperties, {
        title: 'OpenTransaction',
        additionalProperties: false,
        description: 'In no block, and sent first',
      }),
    ),
    held_up: Type.Optional(
      Type.Object(
        { ...openProperties, wait: waitSchema },
        {
          title: 'HeldUpTransaction',
          additionalProperties: false,
          description: 'The first that waits, and so holds up the others; else one whose finality is stalled',
        },
      ),
    ),
  },
  { title: 'Overview', additionalProperties: false },
)

export function getOverview(reads: Reads, chainOf: ChainOf) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getOverview',
      summary: 'List relayers with their open transactions and their conditions',
      description: 'Calls no node: balances are in the status of a relayer.',
      tags: ['relayers'],
      querystring: pageQuery,
      response: answers(Type.Array(overviewSchema)),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(reads, principal, page)
      const overviews = await Promise.all(items.map((relayer) => readOverview(reads, relayer)))
      const presented = overviews.map((overview) => present(overview, networkPrice(chainOf, overview.relayer)))
      return success(presented, [], paginationOf(page, total))
    },
  })
}

function present(
  { relayer, oldest, heldUp, ...counts }: Overview,
  price: NetworkPrice | undefined,
): Static<typeof overviewSchema> {
  const { gasPriceCap: cap } = relayer.policies
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
    ...(cap !== undefined && { gas_price_cap: cap.toString() }),
    ...(price && { network_price: presentPrice(price) }),
    ...(oldest && { oldest: presentOpen(oldest) }),
    ...(heldUp && {
      held_up: { ...presentOpen(heldUp), wait: presentWait(heldUp.wait) },
    }),
  }
}

function presentOpen({ id, nonce, createdAt }: OpenTransaction) {
  return { id, ...(nonce !== undefined && { nonce }), created_at: presentTime(createdAt) }
}
