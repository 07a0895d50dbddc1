// Presents a bulk cancellation: its requester, its filter, its progress, and the same in words.
import { type Static, Type } from 'typebox'
import type { BulkCancellation, BulkPart, BulkRefusal } from '../../domain/bulk-cancellation.ts'
import { finalAtOf, sumOf } from '../../domain/bulk-counts.ts'
import { closed, count, some, such, time, wei } from '../response/forms.ts'
import { counted, presentTime } from '../response/present-values.ts'
import { appliedFilterSchema, presentFilter } from './parse-bulk.ts'

const countsExample = {
  ...{ dropped: 40, racing: 1, won: 2, lost: 0, external: 0, not_final: 2, already: 0, refused: 0 },
  ...{ cost: '31500000000000', cost_unknown: 0, safe_to_retry: 41 },
}

export const countsSchema = closed('BulkCounts', { examples: [countsExample] })({
  dropped: count('No node ever had them'),
  racing: count('A no-op competes for their nonce'),
  won: count('The no-op took their nonce'),
  lost: count('They, or their replacements, were mined'),
  external: count('A foreign transaction took their nonce'),
  not_final: count('Those of the above whose state may change again'),
  already: count('Matches whose earlier cancellation was racing at the instant: they are not counted above'),
  refused: count('Matches that were not canceled'),
  cost: wei('Wei that no-ops cost in fees so far'),
  cost_unknown: count('No-ops whose fees no node reported'),
  safe_to_retry: Type.Union([Type.Literal('all'), Type.Integer({ minimum: 0 })], {
    description:
      'How many can never execute, so their payloads may be sent again; "all" once that holds for each of those that were canceled',
  }),
})

const partSchema = closed('BulkPart')({
  relayer_id: such('local'),
  state: Type.Enum(['waiting', 'written'], {
    description: '`waiting`: the relayer still sends. `written`: its matches are canceled',
  }),
  instant: Type.Optional(time('When the relayer stopped; absent before, and of a relayer that was deleted first')),
  counts: countsSchema,
  refused: Type.Array(
    closed('BulkRefusal')({
      transaction_id: such(some.transactionId),
      reason: Type.Enum(['unreadable', 'costs', 'beyond_max_cost'], {
        description:
          '`unreadable`: its row is unreadable. `costs`: it is not free. `beyond_max_cost`: its share is more than the rest of `max_cost`',
      }),
      message: Type.String(),
      needs: Type.Optional(
        Type.Enum(['no_op', 'gap_filler'], {
          description: '`no_op`: a node may have it. `gap_filler`: a nonce above its own stays in use',
        }),
      ),
      cost: Type.Optional(wei('Wei that its cancellation may cost, if a price was observed')),
      left: Type.Optional(wei('Wei of `max_cost` that were left when its turn came')),
    }),
  ),
  cost_max: Type.Optional(wei('Wei that its no-ops may cost at most: the sum of the shares of `max_cost`')),
  final: Type.Boolean({ description: 'Every verdict is final' }),
  final_at: Type.Optional(time()),
})

const headProperties = {
  id: such(some.bulkId),
  origin: Type.Enum(['request', 'delete'], { description: '`delete`: a DELETE of everything pending made it' }),
  name: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  requested_at: time(),
  requested_by: Type.Optional(such(some.apiKeyId, 'The API key')),
  filter: appliedFilterSchema,
  every_relayer: Type.Boolean({ description: 'It was requested for all relayers' }),
  relayers: Type.Array(such('local'), { description: 'Those that the key sees' }),
  pause: Type.Boolean(),
  only: Type.Optional(Type.Literal('free')),
  max_cost: Type.Optional(wei('Wei')),
  counts: countsSchema,
  final: Type.Boolean({ description: 'Every verdict is final' }),
  final_at: Type.Optional(time()),
}

const example = {
  id: some.bulkId,
  origin: 'request',
  name: 'stuck payouts',
  requested_at: some.time,
  requested_by: some.apiKeyId,
  filter: { older_than: '10m' },
  every_relayer: false,
  relayers: ['local'],
  pause: false,
  counts: countsExample,
  final: false,
}

/** An item of the list. */
export const bulkHeadSchema = closed('BulkCancellationHead', { examples: [example] })(headProperties)

export const bulkSchema = closed('BulkCancellationObject', {
  examples: [
    {
      ...example,
      parts: [
        {
          relayer_id: 'local',
          state: 'written',
          instant: some.time,
          counts: countsExample,
          refused: [],
          final: false,
        },
      ],
    },
  ],
})({ ...headProperties, parts: Type.Array(partSchema) })

type Summary = Pick<
  Static<typeof bulkHeadSchema>,
  'id' | 'origin' | 'name' | 'reason' | 'requested_at' | 'requested_by' | 'relayers' | 'counts'
>

/** The members that its events have as well. */
export function presentBulkSummary(bulk: BulkCancellation): Summary {
  return {
    id: bulk.id,
    origin: bulk.origin,
    ...(bulk.name !== undefined && { name: bulk.name }),
    ...(bulk.reason !== undefined && { reason: bulk.reason }),
    requested_at: presentTime(bulk.requestedAt),
    ...(bulk.requestedBy !== undefined && { requested_by: bulk.requestedBy }),
    relayers: bulk.parts.map(({ relayerId }) => relayerId),
    counts: presentCounts(bulk.parts),
  }
}

export function presentBulkHead(bulk: BulkCancellation): Static<typeof bulkHeadSchema> {
  const finalAt = finalAtOf(bulk)
  return {
    ...presentBulkSummary(bulk),
    filter: presentFilter(bulk.filter),
    every_relayer: bulk.everyRelayer,
    pause: bulk.pause,
    ...(bulk.only !== undefined && { only: bulk.only }),
    ...(bulk.maxCost !== undefined && { max_cost: bulk.maxCost.toString() }),
    final: finalAt !== undefined,
    ...(finalAt !== undefined && { final_at: presentTime(finalAt) }),
  }
}

export function presentBulk(bulk: BulkCancellation): Static<typeof bulkSchema> {
  return { ...presentBulkHead(bulk), parts: bulk.parts.map(presentPart) }
}

function presentPart(part: BulkPart): Static<typeof partSchema> {
  return {
    relayer_id: part.relayerId,
    state: part.state,
    ...(part.instant !== undefined && { instant: presentTime(part.instant) }),
    counts: presentCounts([part]),
    refused: part.refused.map(presentRefusal),
    ...(part.spent !== undefined && { cost_max: part.spent.toString() }),
    final: part.finalAt !== undefined,
    ...(part.finalAt !== undefined && { final_at: presentTime(part.finalAt) }),
  }
}

function presentRefusal(refusal: BulkRefusal): Static<typeof partSchema>['refused'][number] {
  const { id, reason } = refusal
  if (reason === 'unreadable') return { transaction_id: id, reason, message: refusal.text }
  const { by, cost } = refusal.facts
  const left = 'left' in refusal.facts ? refusal.facts.left : undefined
  const what = by === 'no_op' ? 'a node may have it, so it needs a no-op' : 'its nonce would need a gap filler'
  const amount = cost === undefined ? '' : `, for at most ${cost} wei`
  return {
    transaction_id: id,
    reason,
    message: `${what}${amount}${left === undefined ? '' : `; ${left} wei of max_cost were left`}`,
    needs: by,
    ...(cost !== undefined && { cost: cost.toString() }),
    ...(left !== undefined && { left: left.toString() }),
  }
}

function presentCounts(parts: readonly BulkPart[]): Static<typeof countsSchema> {
  const { dropped, racing, won, lost, external, unsettled, safe, unpriced, cost } = sumOf(
    parts.map(({ counts }) => counts),
  )
  const taken = dropped + racing + won + lost + external
  const isWritten = parts.every(({ state }) => state === 'written')
  return {
    ...{ dropped, racing, won, lost, external, not_final: unsettled },
    already: parts.reduce((sum, part) => sum + part.already, 0),
    refused: parts.reduce((sum, part) => sum + part.refused.length, 0),
    cost: cost.toString(),
    cost_unknown: unpriced,
    safe_to_retry: isWritten && safe === taken ? 'all' : safe,
  }
}

/** Says for people what a bulk cancellation did and will do. */
export function explainBulk(bulk: BulkCancellation): readonly string[] {
  const { parts } = bulk
  const { dropped, racing, won, lost, external } = sumOf(parts.map(({ counts }) => counts))
  const taken = dropped + racing + won + lost + external
  const waiting = parts.filter(({ state }) => state === 'waiting').map(({ relayerId }) => relayerId)
  const refused = parts.reduce((sum, part) => sum + part.refused.length, 0)
  return [
    `${counted(taken, 'transaction is', 'transactions are')} canceled: ${counted(dropped, 'was', 'were')} never sent, and ${counted(taken - dropped, 'competes, or competed, for its nonce', 'compete, or competed, for their nonces')}.`,
    ...(waiting.length > 0 ? [`Not stopped yet: ${waiting.join(', ')}. The service goes on trying.`] : []),
    ...(refused > 0 ? [`Matches that were not canceled: ${refused}. parts[].refused names each with its reason.`] : []),
    ...(finalAtOf(bulk) === undefined ? [] : ['Every verdict is final.']),
  ]
}
