// The body of a new bulk cancellation: its schema, and what it means.
import { type Static, Type } from 'typebox'
import type { BulkRequest } from '../../domain/bulk-cancellation.ts'
import type { BulkFilter } from '../../domain/bulk-filter.ts'
import { durationMs, shownDuration } from '../../domain/duration.ts'
import { type Hex, isNonEmpty, lowerHex, type RelayerId, type TransactionId } from '../../domain/ids.ts'
import { pendingStatuses } from '../../domain/transaction.ts'
import { bulkIdsMax, bulkRelayersMax, bulkTagsMax, idempotencyKeyCharsMax } from '../limits.ts'
import { nameInBody, noteInBody } from '../request/parameters.ts'
import { addressSchema, parseAddress, parseTime } from '../request/parse-values.ts'
import { invalid } from '../request/validate.ts'
import { closed, optionalInteger, optionalString, some } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { parseTag, tagSchema } from '../transactions/labels.ts'
import { filterProperties, rangesOf } from '../transactions/list-filter.ts'

const duration = (what: string) =>
  optionalString({
    pattern: '^[1-9][0-9]{0,7}(s|m|h|d)$',
    description: `a whole number and s, m, h or d, such as "10m": created ${what} before the instant of the relayer, or before created_to if that is earlier`,
    examples: ['10m'],
  })

const { created_to, nonce_from, nonce_to, value_from, value_to } = filterProperties

const tagList = Type.Array(tagSchema, { minItems: 1, maxItems: bulkTagsMax })

const filterSchema = closed('BulkFilter', {
  description: 'an object such as {"older_than": "10m"}; {} matches everything',
  examples: [{ older_than: '10m' }],
})({
  ids: Type.Optional(
    Type.Array(
      Type.Unsafe<TransactionId>(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'the id of a transaction',
          examples: [some.transactionId],
        }),
      ),
      {
        minItems: 1,
        maxItems: bulkIdsMax,
        description: `1 to ${bulkIdsMax} ids of transactions`,
      },
    ),
  ),
  to: Type.Optional(addressSchema('the address of the receiver: 0x and 40 hex digits')),
  selector: Type.Optional(
    Type.Unsafe<Hex>(
      Type.String({
        pattern: '^0x([0-9a-fA-F]{8})?$',
        description: 'the first four bytes of the data: 0x and 8 hex digits, or 0x for a call without data',
        examples: ['0xa9059cbb'],
      }),
    ),
  ),
  tag: Type.Optional(
    Type.Union([tagSchema, tagList], {
      description: `a tag, or a list of up to ${bulkTagsMax} tags: those that have one of them`,
    }),
  ),
  status: Type.Optional(
    Type.Array(Type.Enum([...pendingStatuses], { description: `one of ${pendingStatuses.join(', ')}` }), {
      minItems: 1,
      description: `a list of ${pendingStatuses.join(', ')}`,
    }),
  ),
  created_to,
  older_than: duration('at least so long'),
  newer_than: duration('less than so long'),
  ...{ nonce_from, nonce_to, value_from, value_to },
})

const appliedIds = Type.Array(Type.Unsafe<TransactionId>(Type.String({ examples: [some.transactionId] })), {
  description:
    'For a key that is bound to relayers: those of transactions at its relayers, and none once these are removed',
})

/** The filter in an answer. */
export const appliedFilterSchema = closed('AppliedBulkFilter', { examples: [{ older_than: '10m' }] })({
  ...filterSchema.properties,
  ids: Type.Optional(appliedIds),
  tag: Type.Optional(tagList),
})

const orderProperties = {
  name: Type.Optional(nameInBody),
  reason: Type.Optional(noteInBody),
  filter: filterSchema,
  relayers: Type.Union(
    [
      Type.Array(Type.Unsafe<RelayerId>(Type.String({ examples: ['local'] })), {
        minItems: 1,
        maxItems: bulkRelayersMax,
      }),
      Type.Literal('all'),
    ],
    { description: `1 to ${bulkRelayersMax} ids of relayers, or "all"` },
  ),
  pause: Type.Optional(Type.Boolean({ description: 'true or false' })),
  only: Type.Optional(Type.Literal('free', { description: '"free": only those whose cancellation costs nothing' })),
  max_cost: optionalString({
    pattern: '^[0-9]{1,78}$',
    description:
      'wei as a decimal string, such as "100000000000000000": the most that the no-ops may cost together, by the last observed prices',
    examples: ['100000000000000000'],
  }),
}

/** A name and a reason have no effect: the body may be that of the request that follows. */
export const bulkPreviewBodySchema = closed('BulkCancellationPreviewRequest', {
  examples: [{ filter: { older_than: '10m' }, relayers: ['local'] }],
})(orderProperties)

export const bulkBodySchema = closed('BulkCancellationRequest', {
  examples: [{ name: 'stuck payouts', filter: { older_than: '10m' }, relayers: ['local'] }],
})({
  ...orderProperties,
  at_most: optionalInteger({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'a number of transactions, 0 or more: if more would be canceled, nothing is',
  }),
})

export const bulkHeaders = Type.Object({
  'idempotency-key': Type.String({
    pattern: `^[\\x21-\\x7e]{1,${idempotencyKeyCharsMax}}$`,
    description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters without spaces, such as a UUID; a repeated request with the same key returns the same bulk cancellation, and takes nothing that was sent since`,
    examples: [some.bulkId],
  }),
})

/** Throws INVALID_REQUEST. */
export function requestOf(given: Static<typeof bulkPreviewBodySchema>): BulkRequest {
  const { name, reason, filter, pause, only, max_cost } = given
  return {
    ...(name !== undefined && { name }),
    ...(reason !== undefined && { reason }),
    filter: filterOf(filter),
    pause: pause ?? false,
    ...(only !== undefined && { only }),
    ...(max_cost !== undefined && { maxCost: BigInt(max_cost) }),
  }
}

function filterOf(given: Static<typeof filterSchema>): BulkFilter {
  const { ids, to, selector, tag, status, created_to: createdTo, older_than: older, newer_than: newer } = given
  const tags = tagsOf(tag)
  const statuses = [...new Set(status)]
  const olderThanMs = older === undefined ? undefined : durationMs(older)
  const newerThanMs = newer === undefined ? undefined : durationMs(newer)
  if (olderThanMs !== undefined && newerThanMs !== undefined && newerThanMs <= olderThanMs) {
    throw invalid('filter.newer_than', newer, 'longer than older_than; swap the two, or leave one out')
  }
  return {
    ...(ids && isNonEmpty(ids) && { ids }),
    ...(to !== undefined && { to: parseAddress('filter.to', to) }),
    ...(selector !== undefined && { selector: lowerHex(selector) }),
    ...(isNonEmpty(tags) && { tags }),
    ...(isNonEmpty(statuses) && { statuses }),
    ...(createdTo !== undefined && { createdTo: parseTime('filter.created_to', createdTo) }),
    ...(olderThanMs !== undefined && { olderThanMs }),
    ...(newerThanMs !== undefined && { newerThanMs }),
    ...rangesOf(given, 'filter.'),
  }
}

/** Throws INVALID_REQUEST. */
function tagsOf(tag: Static<typeof filterSchema>['tag']): readonly string[] {
  if (tag === undefined) return []
  if (typeof tag === 'string') return [parseTag('filter.tag', tag)]
  return [...new Set(tag.map((each, index) => parseTag(`filter.tag[${index}]`, each)))]
}

/** Presents the filter as the client sends it. */
export function presentFilter(filter: BulkFilter): Static<typeof appliedFilterSchema> {
  const { ids, to, selector, tags, statuses, createdTo, olderThanMs, newerThanMs } = filter
  const { nonceFrom, nonceTo, valueFrom, valueTo } = filter
  return {
    ...(ids && { ids: [...ids] }),
    ...(to !== undefined && { to }),
    ...(selector !== undefined && { selector }),
    ...(tags && { tag: [...tags] }),
    ...(statuses && { status: [...statuses] }),
    ...(createdTo !== undefined && { created_to: presentTime(createdTo) }),
    ...(olderThanMs !== undefined && { older_than: shownDuration(olderThanMs, 'd') }),
    ...(newerThanMs !== undefined && { newer_than: shownDuration(newerThanMs, 'd') }),
    ...(nonceFrom !== undefined && { nonce_from: nonceFrom }),
    ...(nonceTo !== undefined && { nonce_to: nonceTo }),
    ...(valueFrom !== undefined && { value_from: valueFrom.toString() }),
    ...(valueTo !== undefined && { value_to: valueTo.toString() }),
  }
}
