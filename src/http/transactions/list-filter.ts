// The query of a list of transactions: its schema, its filter, and the page that it names. Every list of a relayer's transactions uses it.

import { type Static, Type } from 'typebox'
import { cancellationStates } from '../../domain/cancel.ts'
import { defined } from '../../domain/defined.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { statuses } from '../../domain/transaction.ts'
import type { TimestampMs, Wei } from '../../domain/units.ts'
import { mayWaitBehind, type QueueHead, waitingBehind } from '../../domain/wait.ts'
import type { ListPage, ListPosition, TransactionFilter, TransactionItem } from '../../store/list-port.ts'
import type { Reads } from '../../store/store.ts'
import { listedRowsMax } from '../limits.ts'
import type { OwnHeader } from '../request/operation.ts'
import { pageOf, pageProperties, paginationOf } from '../request/parse-page.ts'
import { addressSchema, parseAddress, parseTime } from '../request/parse-values.ts'
import { stated } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'
import type { Pagination } from '../response/envelope.ts'
import { optionalInteger, optionalString } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { labelFilters, parseLabelFilters } from './labels.ts'

const nonce = (end: string) =>
  optionalInteger({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `a nonce as a decimal integer, 0 or more: ${end} of those listed`,
  })

const time = (end: string) =>
  optionalString({
    ...stated({ format: 'date-time' }),
    description: `a time by RFC 3339, such as "2030-01-31T12:00:00Z": the ${end} creation of those listed`,
    examples: ['2026-01-02T03:04:05.678Z'],
  })

const value = (end: string) =>
  optionalString({
    pattern: '^[0-9]{1,78}$',
    ...stated({ format: 'uint256' }),
    description: `wei as a decimal integer below 2^256: the ${end} value of those listed`,
    examples: ['1000000000000000000'],
  })

/** Query parameters that narrow a list. */
export const filterProperties = {
  status: Type.Optional(Type.Enum([...statuses], { description: `one of ${statuses.join(', ')}` })),
  verdict: Type.Optional(
    Type.Enum([...cancellationStates], { description: `one of ${cancellationStates.join(', ')}` }),
  ),
  to: Type.Optional(addressSchema('the address of the receiver: 0x and 40 hex digits')),
  nonce_from: nonce('the lowest'),
  nonce_to: nonce('the highest'),
  created_from: time('earliest'),
  created_to: time('latest'),
  value_from: value('smallest'),
  value_to: value('largest'),
  text: optionalString({
    pattern: '^(0x[0-9a-fA-F]{1,64}|[0-9a-fA-F][0-9a-fA-F-]{0,35})$',
    description: 'an id or its beginning, or with 0x the hash of an attempt or its beginning, in hex digits',
    examples: ['019aa5c2'],
  }),
  ...labelFilters,
}

/** A position, or an id. */
const before = Type.Optional(
  Type.Unsafe<TransactionId>(
    Type.String({
      pattern: '^([0-9]{1,15}-[0-9]{1,15}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
      description:
        'the header Relayer-Next-Before of an earlier answer, such as "42-1767323045678", or the id of a transaction; the list begins with the one before it',
      examples: ['42-1767323045678'],
    }),
  ),
)

export const listQuerySchema = Type.Object(
  { ...pageProperties, before, ...filterProperties },
  { additionalProperties: false },
)

type ListQuery = Static<typeof listQuerySchema>

type FilterQuery = Omit<ListQuery, 'page' | 'per_page' | 'before' | 'include'>

/** Throws INVALID_REQUEST. */
function filterOf(query: FilterQuery): TransactionFilter {
  const [createdFrom, createdTo] = [timeOf('created_from', query), timeOf('created_to', query)]
  checkOrder('created', createdFrom, createdTo, query)
  return {
    ...defined({ status: query.status, verdict: query.verdict }),
    ...(query.to !== undefined && { to: parseAddress('to', query.to) }),
    ...rangesOf(query),
    ...defined({ createdFrom, createdTo }),
    ...(query.text !== undefined && { text: query.text.toLowerCase() }),
    ...parseLabelFilters(query),
  }
}

type Ranges = Pick<FilterQuery, 'nonce_from' | 'nonce_to' | 'value_from' | 'value_to'>

/** `within` stands before the names of the members in a refusal. Throws INVALID_REQUEST. */
export function rangesOf(
  query: Ranges,
  within = '',
): Pick<TransactionFilter, 'nonceFrom' | 'nonceTo' | 'valueFrom' | 'valueTo'> {
  const [valueFrom, valueTo] = [weiOf('value_from', query, within), weiOf('value_to', query, within)]
  checkOrder('nonce', query.nonce_from, query.nonce_to, query, within)
  checkOrder('value', valueFrom, valueTo, query, within)
  return {
    ...defined({ nonceFrom: query.nonce_from, nonceTo: query.nonce_to, valueFrom, valueTo }),
  }
}

function timeOf(field: 'created_from' | 'created_to', query: FilterQuery): TimestampMs | undefined {
  const text = query[field]
  return text === undefined ? undefined : parseTime(field, text)
}

function weiOf(field: 'value_from' | 'value_to', query: Ranges, within: string): Wei | undefined {
  const text = query[field]
  if (text === undefined) return undefined
  if (BigInt(text) >= 2n ** 256n) throw invalid(`${within}${field}`, text, 'an amount of wei below 2^256')
  return BigInt(text)
}

type Range = 'nonce' | 'created' | 'value'

function checkOrder<T extends number | bigint>(
  range: Range,
  from: T | undefined,
  to: T | undefined,
  query: FilterQuery,
  within = '',
): void {
  if (from === undefined || to === undefined || from <= to) return
  const high = `${range}_to` as const
  throw invalid(`${within}${high}`, query[high], `at or above ${range}_from; swap the two, or leave one out`)
}

/** Throws INVALID_REQUEST. */
async function positionIn(
  reads: Pick<Reads, 'positionOf'>,
  relayerId: RelayerId,
  before: TransactionId | undefined,
): Promise<ListPosition | undefined> {
  if (before === undefined) return undefined
  const [sequence, createdAt, ...more] = before.split('-')
  if (more.length === 0) return { sequence: Number(sequence), createdAt: Number(createdAt) }
  const position = await reads.positionOf(relayerId, before)
  if (!position) {
    throw invalid('before', before, 'the id of a stored transaction of this relayer; begin again without before')
  }
  return position
}

const textOf = ({ sequence, createdAt }: ListPosition) => `${sequence}-${createdAt}`

export const listHeaders = ['Relayer-Next-Before', 'Relayer-Total'] as const satisfies readonly OwnHeader[]

interface ListAnswer {
  readonly items: readonly TransactionItem[]
  readonly pagination: Pagination
  /** Sentences for people. */
  readonly logs: readonly string[]
}

interface HeaderReply {
  header(name: string, value: string): unknown
}

/** Reads the page that the query names, and sets the headers `listHeaders`. Throws INVALID_REQUEST. */
export async function readList(reads: Reads, id: RelayerId, query: ListQuery, reply: HeaderReply): Promise<ListAnswer> {
  const page = pageOf(query)
  if (query.before !== undefined && query.page !== undefined && query.page > 1) {
    throw invalid('page', query.page, '1, as with before every page is the first; leave page out')
  }
  if ((page.page - 1) * page.perPage >= listedRowsMax) {
    const wanted = `within the first ${listedRowsMax} rows; for older ones send before, the header Relayer-Next-Before of an earlier page`
    throw invalid('page', page.page, wanted)
  }
  const position = await positionIn(reads, id, query.before)
  const listed = await reads.transactionItems(id, filterOf(query), { ...page, ...(position && { before: position }) })
  if (listed.next) reply.header('relayer-next-before', textOf(listed.next))
  reply.header('relayer-total', listed.isAtLeast ? 'at-least' : 'exact')
  return {
    items: withHead(reads, id, listed.items),
    pagination: paginationOf(page, listed.total),
    logs: sentencesOn(listed),
  }
}

function sentencesOn({ next, isAtLeast, lookedBackTo }: ListPage<unknown>): string[] {
  if (!isAtLeast) return []
  if (lookedBackTo === undefined || !next) return ['total_items counts the matches that are older than before.']
  return [
    `Only transactions created at ${presentTime(lookedBackTo)} or later were looked at, and total_items counts the matches among them. To go on, repeat the request with before=${textOf(next)}, without page.`,
  ]
}

/** The head of the queue is read once, and only if one of the items may wait behind it. */
function withHead(
  reads: Pick<Reads, 'queueHead'>,
  id: RelayerId,
  items: readonly TransactionItem[],
): readonly TransactionItem[] {
  let head: Promise<QueueHead | undefined> | undefined
  return items.map(({ read, ...item }) => ({
    ...item,
    async read() {
      const transaction = await read()
      if (!transaction || !mayWaitBehind(transaction)) return transaction
      head ??= reads.queueHead(id)
      return waitingBehind(transaction, await head)
    },
  }))
}
