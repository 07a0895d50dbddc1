// The commit of a bulk cancellation at one relayer: it drops the queue, and cancels the nonces, lowest first.
import { sql } from 'kysely'
import type { BulkRefusal, TakenInBulk, WaitingBulkPart } from '../../../domain/bulk-cancellation.ts'
import { effectOfBulk } from '../../../domain/bulk-effect.ts'
import { type BulkFilter, isEverything } from '../../../domain/bulk-filter.ts'
import { cancel } from '../../../domain/cancel.ts'
import type { Reckoning } from '../../../domain/cost-limit.ts'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import { bulkStatuses, isRacing } from '../../../domain/refusals.ts'
import { isTerminal, type Lifecycle, type Status, type Transaction } from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { BulkStop, DeleteBulk } from '../../bulk-port.ts'
import { lockRelayer } from '../../relayers/relayers.ts'
import { type Executor, statement } from '../../statement.ts'
import type { Tallies } from '../counted/tallies.ts'
import { type FoundRow, findTransactions } from '../rows/find-transaction.ts'
import { saveTransaction } from '../written/save-transaction.ts'
import { type QueuedStatus, statusesToWalk, tagsFor } from './bulk-filter.ts'
import { endPart, findBulkHead, findWaitingPart, recordBulkOf } from './bulk-rows.ts'
import { type Chosen, chooseInBulk } from './choose-in-bulk.ts'
import { dropMatches, lastOf, publishDropped } from './drop-queue.ts'

interface BoundRow {
  readonly id: TransactionId
  readonly status: Status
  readonly phase: Lifecycle['phase']
  readonly cancel_cost_max: string | null
}

const boundRows = statement<{ relayerId: RelayerId }, BoundRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(['id', 'status', 'phase', 'cancel_cost_max'])
    .where('relayer_id', '=', p.relayerId)
    .where(sql<boolean>`open = 1 AND nonce IS NOT NULL`)
    // As isTakenByBulk has it.
    .where('origin', '<>', 'gap')
    .orderBy('nonce'),
)

/** A part at its instant. */
interface Stop {
  readonly relayerId: RelayerId
  /** The number of the part. */
  readonly part: number
  readonly filter: BulkFilter
  readonly now: TimestampMs
  /** No filter narrows it. */
  readonly all: boolean
  /** The choice within a limit of cost; absent without one. */
  readonly chosen?: Chosen
}

/** The relayer's open transactions at the instant. */
interface Standing {
  readonly bound: readonly BoundRow[]
  /** Each with its last sequence. */
  readonly queues: readonly { readonly queued: QueuedStatus; readonly through: number }[]
}

export async function cancelPending(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  now: TimestampMs,
  by: DeleteBulk,
): Promise<TakenInBulk> {
  const [, standing] = await Promise.all([lockRelayer(executor, relayerId), standingOf(executor, relayerId, {})])
  const lifted = await liftBounds(executor, tallies, now, standing.bound)
  if (standing.queues.length === 0 && !standing.bound.some(isTaken)) {
    return { canceled: [], failed: [], racing: 0, ...(lifted > 0 && { rebounded: lifted }) }
  }
  const terms = { filter: {}, pause: false, everyRelayer: false, origin: 'delete' } as const
  const part = await recordBulkOf(executor, { ...terms, ...by, requestedAt: now }, relayerId)
  const taken = await stopRelayer(executor, tallies, { relayerId, part, filter: {}, now, all: true }, standing)
  return { bulkId: by.id, ...taken, ...(lifted > 0 && { rebounded: lifted }) }
}

interface Stopping {
  readonly now: TimestampMs
  readonly reckoning: Reckoning
}

export async function takeBulk(
  executor: Executor,
  tallies: Tallies,
  { bulkId, relayerId }: Pick<WaitingBulkPart, 'bulkId' | 'relayerId'>,
  { now, reckoning }: Stopping,
): Promise<BulkStop | undefined> {
  const locked = await lockRelayer(executor, relayerId)
  const part = await findWaitingPart(executor, bulkId, relayerId)
  const head = part && (await findBulkHead(executor, bulkId))
  if (!part || !head) return undefined
  if (locked.length === 0) {
    await endPart(executor, tallies, part.number, { now })
    return undefined
  }
  const { filter } = head
  const chosen = await chooseInBulk(executor, head, relayerId, now, reckoning)
  const stop = { relayerId, part: part.number, filter, now, all: isEverything(filter), ...(chosen && { chosen }) }
  const taken = await stopRelayer(executor, tallies, stop, await standingOf(executor, relayerId, filter))
  return { head, ...(part.requester && { requester: part.requester }), taken: { bulkId, ...taken } }
}

const isTaken = ({ status }: BoundRow) => bulkStatuses.includes(status)
const races = ({ status, phase }: BoundRow) => isRacing(status, phase)

async function standingOf(executor: Executor, relayerId: RelayerId, filter: BulkFilter): Promise<Standing> {
  const [bound, ...queues] = await Promise.all([
    executor.all(boundRows, { relayerId }),
    ...statusesToWalk(filter).map(async (queued) => ({ queued, through: await lastOf(executor, relayerId, queued) })),
  ])
  return { bound, queues: queues.filter(({ through }) => through > 0) }
}

async function stopRelayer(
  executor: Executor,
  tallies: Tallies,
  stop: Stop,
  { bound, queues }: Standing,
): Promise<TakenInBulk> {
  const dropped: TransactionId[] = []
  for (const queue of queues) {
    const ids = await dropMatches(executor, tallies, { ...stop, ...queue })
    // Not spread: a queue has more ids than a call may have arguments.
    for (const id of ids) dropped.push(id)
  }
  const { already, refused, ...taken } = await cancelBound(executor, tallies, stop, bound)
  const left = { already, refused, ...(stop.chosen && { spent: stop.chosen.spent }) }
  await endPart(executor, tallies, stop.part, { ...left, instant: stop.now, now: stop.now })
  // Last: on PostgreSQL events that are not committed hold back the later ones of all relayers.
  await publishDropped(executor, stop.relayerId, dropped, stop.now)
  return { ...taken, canceled: taken.canceled.concat(dropped) }
}

/**
 * Lifts, for a plain DELETE, the cost bounds of the cancellations that race already. Returns how many; one that can't be read
 * keeps its own.
 */
async function liftBounds(
  executor: Executor,
  tallies: Tallies,
  now: TimestampMs,
  bound: readonly BoundRow[],
): Promise<number> {
  let lifted = 0
  const bounded = bound.filter((row) => races(row) && row.cancel_cost_max !== null)
  const rows = await findTransactions(executor, idsOf(bounded))
  for (const { id } of bounded) {
    const found = decideOn(rows.get(id), (each) => cancel(each, now))
    if ('reason' in found) continue
    await saveTransaction(executor, tallies, found.before, found.decided, now)
    lifted += 1
  }
  return lifted
}

interface Bound extends Pick<TakenInBulk, 'canceled' | 'failed' | 'racing' | 'rebounded'> {
  readonly already: number
  readonly refused: readonly BulkRefusal[]
}

/** Cancels the matches with a nonce, lowest first, and counts what it leaves. */
async function cancelBound(
  executor: Executor,
  tallies: Tallies,
  stop: Stop,
  bound: readonly BoundRow[],
): Promise<Bound> {
  const { part, filter, now, all, chosen } = stop
  // Without a filter or a limit nothing can change in what races already, so it need not be read.
  const leavesRaces = all && !chosen
  const ids = idsOf(bound.filter((row) => isTaken(row) || (races(row) && !leavesRaces)))
  const [rows, tagsOf] = await Promise.all([findTransactions(executor, ids), tagsFor(executor, filter, ids)])
  const left: BulkRefusal[] = []
  const canceled: TransactionId[] = []
  const failed: { id: TransactionId; reason: string }[] = []
  let [racing, already, rebounded] = [0, leavesRaces ? bound.filter(races).length : 0, 0]
  for (const id of ids) {
    const choice = chosen?.of.get(id)
    const aim = { filter, now, tags: tagsOf(id), ...(choice && { choice }) }
    const found = decideOn(rows.get(id), (each) => effectOfBulk(each, aim))
    if ('reason' in found) {
      // Whether a row matches can't be said unless it can be read.
      if (all || filter.ids?.includes(id)) failed.push({ id, reason: found.reason })
      continue
    }
    const { before, decided: effect } = found
    switch (effect.kind) {
      case 'none':
        break
      case 'left':
        left.push(effect.refusal)
        break
      case 'already':
        already += 1
        if (!effect.after) break
        await saveTransaction(executor, tallies, before, effect.after, now)
        rebounded += 1
        break
      case 'canceled': {
        const after = { ...effect.after, bulkPart: part }
        await saveTransaction(executor, tallies, before, after, now)
        canceled.push(id)
        if (!isTerminal(after)) racing += 1
      }
    }
  }
  const unreadable = failed.map(({ id, reason }) => ({ id, reason: 'unreadable', text: reason }) as const)
  const refused = [...unreadable, ...left]
  return { canceled, failed, racing, already, refused, ...(rebounded > 0 && { rebounded }) }
}

const idsOf = (rows: readonly BoundRow[]) => rows.map(({ id }) => id)

/** Returns the reason for a row that can't be read or canceled, so that it blocks no other. */
function decideOn<Decided>(
  found: FoundRow | undefined,
  decide: (transaction: Transaction) => Decided,
): { readonly before: Transaction; readonly decided: Decided } | { readonly reason: string } {
  if (!found) return { reason: 'it is gone' }
  try {
    const before = found.transaction()
    return { before, decided: decide(before) }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
