// Filters find what a model in memory finds, in its order, window after window.
import fc from 'fast-check'
import { expect } from 'vitest'
import { type CancellationState, cancellationStates, verdictOn } from '../../src/domain/cancel.ts'
import { type Address, type Hash, isNonEmpty, type RelayerId, type TransactionId } from '../../src/domain/ids.ts'
import { type Status, statuses, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import type { ListPosition, TransactionFilter } from '../../src/store/list-port.ts'
import { sessionOver } from '../../src/store/session.ts'
import type { Executor } from '../../src/store/statement.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { findMatches } from '../../src/store/transactions/found/find-matches.ts'
import {
  address,
  by,
  byForeign,
  canceled,
  queued,
  receiver,
  someAttempt,
  somePayload,
  someRelayer,
} from '../domain/some.ts'

interface Row {
  readonly sequence: number
  readonly id: TransactionId
  readonly createdAt: number
  readonly status: Status
  readonly verdict: CancellationState | undefined
  readonly to: Address | undefined
  readonly value: bigint
  readonly nonce: number | undefined
  readonly hashes: readonly Hash[]
  readonly externalId: string | undefined
  readonly tags: readonly string[]
}

const anyValue = fc.oneof(
  fc.constantFrom(0n, 9n, 10n, 99n, 100n, 10n ** 18n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n),
  fc.bigInt({ min: 0n, max: 200n }),
)

const anyTime = fc.integer({ min: 1_000, max: 1_020 })
const anyNonce = fc.nat({ max: 12 })
const anyReceiver = fc.constantFrom(receiver, address)

const anyExternalId = fc.constantFrom('one', 'two', 'ones')

const spenders = ['none', 'payload', 'noOp', 'foreign'] as const

const anyRow = fc.record({
  createdAt: anyTime,
  to: fc.option(anyReceiver, { nil: undefined }),
  value: anyValue,
  isSent: fc.boolean(),
  isCanceled: fc.boolean(),
  spender: fc.constantFrom(...spenders),
  idStart: fc.constantFrom('019aa5c2', '019aa5c3', '01'),
  externalId: fc.option(anyExternalId, { nil: undefined }),
  tags: fc.subarray(['red', 'blue', 'Blue', 'grün']),
})

const anyFilter = fc.record(
  {
    status: fc.constantFrom(...statuses),
    verdict: fc.constantFrom(...cancellationStates),
    to: anyReceiver,
    nonceFrom: anyNonce,
    nonceTo: anyNonce,
    createdFrom: anyTime,
    createdTo: anyTime,
    valueFrom: anyValue,
    valueTo: anyValue,
    text: fc.constantFrom('id', 'hash', 'half a hash', '019aa5c2', '01', '0x', 'f'),
    externalId: anyExternalId,
    tag: fc.constantFrom('red', 'blue', 'grün', 'none'),
  },
  { requiredKeys: [] },
)

const plainFilters: readonly TransactionFilter[] = [{}, { nonceFrom: 3, nonceTo: 9 }].flatMap((ofNonces) =>
  [{}, { to: receiver }].flatMap((ofReceiver) =>
    [{}, { createdFrom: 1_000, createdTo: 1_001 }].flatMap((ofTimes) =>
      [
        {},
        { status: 'confirmed' as const },
        { status: 'pending' as const },
        { verdict: 'lost' as const, status: 'confirmed' as const },
        { verdict: 'won' as const },
      ].flatMap((ofStatus) =>
        [{}, { valueFrom: 1n }, { text: '0xab' }, { text: 'ab' }, { text: 'a'.repeat(36) }].map((others) => ({
          ...{ ...ofNonces, ...ofReceiver },
          ...{ ...ofTimes, ...ofStatus, ...others },
        })),
      ),
    ),
  ),
)

/** Each member with and without each other, as far as statements differ. */
export const everyFilter: readonly TransactionFilter[] = [
  ...plainFilters,
  ...[{ externalId: 'one' }, { tag: 'red' }, { externalId: 'one', tag: 'red' }].flatMap((labels) =>
    plainFilters.map((filter) => ({ ...filter, ...labels })),
  ),
]

/** The indexes that serve a filter. Tables of their own have the rows of an `external_id` and of a tag. */
export function indexesFor({
  text,
  nonceFrom,
  externalId,
  tag,
  to,
  createdFrom,
  verdict,
  status,
}: TransactionFilter): readonly string[] {
  if (text?.length === 36) return ['transactions_pkey']
  if (nonceFrom !== undefined) return ['transactions_open_nonce', 'transactions_nonce']
  if ((externalId ?? tag) !== undefined) return ['transactions_pkey']
  if (to !== undefined) return ['transactions_receiver']
  if (createdFrom !== undefined) return ['transactions_created']
  if (verdict === 'lost' || verdict === 'external') return ['transactions_too_late']
  if (status === undefined) return ['transactions_sequence']
  return status === 'pending'
    ? ['transactions_queue', 'transactions_on_hold']
    : ['transactions_in_progress', 'transactions_status']
}

const isMatch =
  (filter: TransactionFilter) =>
  (row: Row): boolean => {
    const { status, to, nonceFrom, nonceTo, createdFrom, createdTo, valueFrom, valueTo, text, externalId, tag } = filter
    return (
      (externalId === undefined || row.externalId === externalId) &&
      (tag === undefined || row.tags.includes(tag)) &&
      (status === undefined || row.status === status) &&
      (filter.verdict === undefined || row.verdict === filter.verdict) &&
      (to === undefined || row.to === to) &&
      (nonceFrom === undefined || (row.nonce !== undefined && row.nonce >= nonceFrom)) &&
      (nonceTo === undefined || (row.nonce !== undefined && row.nonce <= nonceTo)) &&
      (createdFrom === undefined || row.createdAt >= createdFrom) &&
      (createdTo === undefined || row.createdAt <= createdTo) &&
      (valueFrom === undefined || row.value >= valueFrom) &&
      (valueTo === undefined || row.value <= valueTo) &&
      (text === undefined ||
        (text.startsWith('0x') ? row.hashes.some((hash) => hash.startsWith(text)) : row.id.startsWith(text)))
    )
  }

const isListedByTime = ({ to, createdFrom, createdTo, externalId, tag }: TransactionFilter) =>
  (externalId ?? tag) === undefined && (to ?? createdFrom ?? createdTo) !== undefined

function expectedOf(rows: readonly Row[], filter: TransactionFilter): readonly number[] {
  const isByTime = isListedByTime(filter)
  return rows
    .filter(isMatch(filter))
    .sort((a, b) => (isByTime ? b.createdAt - a.createdAt : 0) || b.sequence - a.sequence)
    .map(({ sequence }) => sequence)
}

export async function compareLists(executor: Executor): Promise<void> {
  let relayers = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 4, maxLength: 25 }),
      fc.array(anyFilter, { minLength: 30, maxLength: 30 }),
      fc.constantFrom(1, 2, 3, 7, 100),
      fc.nat(),
      async (given, filters, rowsMax, which) => {
        relayers += 1
        const relayerId = `lists-${relayers}` as RelayerId
        const rows = await store(executor, relayerId, relayers, given)
        const chosen = rows[which % rows.length]
        for (const filter of filters) {
          const full = { ...filter, ...(filter.text !== undefined && { text: textOf(filter.text, chosen) }) }
          const found: number[] = []
          for (let before: ListPosition | undefined, windows = 0; ; windows += 1) {
            const { found: inWindow, end } = await findMatches(executor, relayerId, full, before, rowsMax)
            expect(inWindow.length).toBeLessThanOrEqual(rowsMax)
            found.push(...inWindow.map(({ sequence }) => sequence))
            if (!end) break
            expect(windows).toBeLessThanOrEqual(rows.length)
            before = end
          }
          expect({ filter: full, found }).toEqual({ filter: full, found: expectedOf(rows, full) })
          // From any position on, also that of a transaction that does not match.
          const from = positionOf(chosen)
          const { found: after } = await findMatches(executor, relayerId, full, from)
          const isByTime = isListedByTime(full)
          const older = rows.filter((row) =>
            isByTime && row.createdAt !== from.createdAt
              ? row.createdAt < from.createdAt
              : row.sequence < from.sequence,
          )
          expect(after.map(({ sequence }) => sequence)).toEqual(expectedOf(older, full))
        }
      },
    ),
    { numRuns: 40 },
  )
}

const positionOf = (row: Row | undefined): ListPosition => {
  if (!row) throw new Error('there are rows')
  return { sequence: row.sequence, createdAt: row.createdAt }
}

function textOf(text: string, row: Row | undefined): string {
  if (text === 'id') return row?.id ?? text
  if (text === 'hash' || text === 'half a hash') {
    const hash = row?.hashes[0] ?? `0x${'ab'.repeat(32)}`
    return text === 'hash' ? hash : hash.slice(0, 40)
  }
  return text
}

async function store(
  executor: Executor,
  relayerId: RelayerId,
  relayer: number,
  given: readonly {
    createdAt: number
    to: Address | undefined
    value: bigint
    isSent: boolean
    isCanceled: boolean
    spender: (typeof spenders)[number]
    idStart: string
    externalId: string | undefined
    tags: readonly string[]
  }[],
): Promise<readonly Row[]> {
  const tallies = openTallies(executor)
  const session = sessionOver(executor, tallies, openAuditPad(executor))
  await session.saveRelayer(
    someRelayer({ id: relayerId, address: `0x${(0xabc000 + relayer).toString(16).padStart(40, '0')}` as Address }),
  )
  const rows: Row[] = []
  let nonce = 0
  for (const [
    index,
    { createdAt, to, value, isSent, isCanceled, spender, idStart, externalId, tags },
  ] of given.entries()) {
    const { from, to: _, ...payload } = somePayload
    const sequence = 1 + 2 * index
    const begin = `${idStart}${relayer.toString(16).padStart(6, '0')}`
    const id = `${begin}${index.toString(16).padStart(36 - begin.length, '0')}`
    const transaction = queued(sequence, {
      ...{ id: id as TransactionId, relayerId, createdAt },
      payload: { ...payload, from, ...(to && { to }), value },
    })
    await session.insertTransaction(transaction)
    const names = { ...(externalId !== undefined && { externalId }), ...(isNonEmpty(tags) && { tags }) }
    if (Object.keys(names).length > 0) await session.insertLabels(transaction, names)
    const own = { sequence, id: transaction.id, createdAt, to, value, externalId, tags }
    let after: Transaction = isCanceled ? { ...transaction, ...canceled } : transaction
    let hashes: readonly Hash[] = []
    if (isSent) {
      const attempts = [
        someAttempt(nonce, { transactionId: transaction.id }),
        someAttempt(nonce, { transactionId: transaction.id, ...(isCanceled && { kind: 'cancel' }) }),
      ] as const
      hashes = attempts.map(({ hash }) => hash)
      const inFlight = { phase: 'inFlight', nonce, attempts } as const
      const spent = { payload: by(attempts[0]), noOp: by(attempts[1]), foreign: byForeign() }
      after = {
        ...after,
        lifecycle:
          isCanceled && spender !== 'none' ? { ...inFlight, phase: 'mined', inclusion: spent[spender] } : inFlight,
      }
      nonce += 1
    } else if (isCanceled) {
      after = { ...after, lifecycle: { phase: 'dropped', reason: 'canceled', droppedAt: createdAt } }
    }
    if (after !== transaction) await session.saveTransaction(transaction, after, createdAt)
    const verdict = isCanceled ? verdictOn(after).state : undefined
    const bound = 'nonce' in after.lifecycle ? after.lifecycle.nonce : undefined
    rows.push({ ...own, status: statusOf(after), verdict, nonce: bound, hashes })
  }
  tallies.keep()
  await tallies.write()
  return rows
}
