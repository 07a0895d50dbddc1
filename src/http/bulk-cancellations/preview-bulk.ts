// Previews a bulk cancellation (POST).
import { type Static, Type } from 'typebox'
import {
  type PreviewedPart,
  previewBulk as previewBulkCommand,
  type RequestedPreview,
} from '../../commands/bulk-cancellations/preview.ts'
import type { BulkStops } from '../../commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../commands/context.ts'
import { inEther } from '../../domain/shown-amount.ts'
import { minWei, type Wei } from '../../domain/units.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import type { LimitedReads } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, count, optionalInteger, some, such, time, wei } from '../response/forms.ts'
import { counted, presentTime } from '../response/present-values.ts'
import { refuseUngranted } from './create-bulk.ts'
import { bulkPreviewBodySchema, requestOf } from './parse-bulk.ts'

const sampledMax = 20

const countsExample = { matches: 43, free: 40, no_ops: 3, already: 0, left: 0 }

const countsSchema = closed('BulkPreviewCounts', { examples: [countsExample] })({
  matches: count('Those that would be canceled'),
  free: count('Those of them that cost nothing'),
  no_ops: count('No-ops that they need: one each, also for a nonce that a gap filler has to use'),
  already: count('Matches whose earlier cancellation is racing: they are not counted above'),
  left: count('Matches that `only` or `max_cost` leaves as they are'),
})

const costExample = { now: '31500000000000', max: '315000000000000' }

const costSchema = Type.Optional(
  closed('BulkPreviewCost', {
    description: 'Absent without an observed price, and for relayers of different symbols together',
    examples: [costExample],
  })({
    now: wei('Wei: the most that its no-ops can cost at the last observed price'),
    max: wei(
      'Wei: the most that they can come to cost: with `max_cost` no more than that, else up to `cancel_gas_price_cap`, and without this policy ten times `now`',
    ),
  }),
)

const partSchema = closed('BulkPreviewPart')({
  relayer_id: such('local'),
  counts: countsSchema,
  cost: costSchema,
  symbol: such('ETH'),
})

const sampleSchema = closed('BulkPreviewSample')({
  relayer_id: such('local'),
  transaction_id: such(some.transactionId),
  nonce: optionalInteger({ minimum: 0 }),
  by: Type.Optional(
    Type.Enum(['no_op', 'gap_filler'], {
      description: '`no_op`: a node may have it. `gap_filler`: its nonce would be left unused. Absent: it is free',
    }),
  ),
  cost: Type.Optional(wei('Wei that its cancellation may cost, if a price was observed')),
})

const previewSchema = closed('BulkCancellationPreview', {
  examples: [
    {
      instant: some.time,
      counts: countsExample,
      cost: costExample,
      parts: [{ relayer_id: 'local', counts: countsExample, cost: costExample, symbol: 'ETH' }],
      sample: [{ relayer_id: 'local', transaction_id: some.transactionId }],
    },
  ],
})({
  instant: time(
    'Later creations are not counted. As `filter.created_to` of the bulk cancellation it excludes later sends, and `counts.matches` as its `at_most` refuses more',
  ),
  counts: countsSchema,
  cost: costSchema,
  parts: Type.Array(partSchema),
  sample: Type.Array(sampleSchema, { description: `At most ${sampledMax} of those that would be canceled` }),
})

export function previewBulk(
  commands: CommandContext,
  stops: Pick<BulkStops, 'costingOf' | 'reckoning'>,
  limited: LimitedReads,
) {
  return operation({
    scope: 'cancel',
    refusals: ['RELAYER_NOT_FOUND', 'SYMBOLS_DIFFER', 'PRICE_UNOBSERVED', 'TOO_MANY_READS'],
    operationId: 'previewBulkCancellation',
    summary: 'Preview a bulk cancellation',
    description:
      'Stores nothing, and calls no node. Takes the body of the bulk cancellation, and needs the same rights. Returns the counts, the cost, a sample, and the instant that they are of.',
    body: bulkPreviewBodySchema,
    response: answers(previewSchema),
    async answer(request) {
      const { body, principal } = request
      const { relayers } = body
      if (principal) refuseUngranted(principal, body)
      const order = { terms: requestOf(body), relayers, ...(principal?.relayers && { visible: principal.relayers }) }
      const { maxCost } = order.terms
      const preview = await limited(requesterIdOf(request), () => previewBulkCommand(commands, stops, order))
      const presented = presentPreview(preview, maxCost)
      return success(presented, explain(presented))
    },
  })
}

function presentPreview({ instant, parts }: RequestedPreview, maxCost?: Wei): Static<typeof previewSchema> {
  const isPriced = parts.every(({ costMax }) => costMax !== undefined)
  const isOneSymbol = new Set(parts.map(({ symbol }) => symbol)).size <= 1
  return {
    instant: presentTime(instant),
    counts: countsOf(parts),
    ...(isPriced && isOneSymbol && { cost: costOf(parts, maxCost) }),
    parts: parts.map((part) => ({
      relayer_id: part.relayerId,
      counts: countsOf([part]),
      ...(part.costMax !== undefined && { cost: costOf([part]) }),
      symbol: part.symbol,
    })),
    sample: parts.flatMap(sampleOf).slice(0, sampledMax),
  }
}

function sampleOf({ relayerId, sample }: PreviewedPart): Static<typeof sampleSchema>[] {
  return sample.map(({ id, nonce, by, cost }) => ({
    relayer_id: relayerId,
    transaction_id: id,
    ...(nonce !== undefined && { nonce }),
    ...(by !== undefined && { by }),
    ...(cost !== undefined && { cost: cost.toString() }),
  }))
}

function countsOf(parts: readonly PreviewedPart[]): Static<typeof countsSchema> {
  const sum = (of: (part: PreviewedPart) => number) => parts.reduce((total, part) => total + of(part), 0)
  const [matches, noOps] = [sum((part) => part.matches), sum((part) => part.noOps)]
  return {
    matches,
    free: sum((part) => part.free),
    no_ops: noOps,
    already: sum((part) => part.already),
    left: sum((part) => part.left),
  }
}

function costOf(parts: readonly PreviewedPart[], maxCost?: Wei) {
  const sum = (of: (part: PreviewedPart) => Wei | undefined) =>
    parts.reduce((total, part) => total + (of(part) ?? 0n), 0n)
  const most = sum(({ costMax }) => costMax)
  return {
    now: sum(({ cost }) => cost).toString(),
    max: (maxCost === undefined ? most : minWei(most, maxCost)).toString(),
  }
}

function explain({ counts, cost, parts }: Static<typeof previewSchema>): readonly string[] {
  const { matches, free, no_ops: noOps } = counts
  const costs = cost && `, for up to ${inEther(BigInt(cost.now))} now and ${inEther(BigInt(cost.max))} at most`
  return [
    `${counted(matches, 'transaction', 'transactions')} would be canceled: ${free} at no cost. It needs ${counted(noOps, 'no-op', 'no-ops')}${costs ?? ''}.`,
    ...(parts.every((part) => part.cost) ? [] : ['No price was observed yet for a relayer: its cost is not shown.']),
  ]
}
