// The events of a relayer, and of the nodes that relayers of a network share: written in the commit of the report that makes them, with
// what they have shown. So a crash repeats none, and neither does a change of owner.
import { sql } from 'kysely'
import {
  type Attention,
  attend,
  endOf,
  type LookedAt,
  ofSharedNodes,
  type ShownAttention,
  shownConditions,
} from '../../domain/attention.ts'
import type { AttentionSubjectId } from '../../domain/event.ts'
import type { NetworkName, RelayerId } from '../../domain/ids.ts'
import { type Held, isOfNodes, type OwnerReport, reportKeptMs } from '../../domain/owner-report.ts'
import { pendingIn } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { AcknowledgmentTable, NetworkAttentionTable } from '../access-tables.ts'
import { insertion, insertionOnce } from '../insert-rows.ts'
import { type Executor, statement } from '../statement.ts'
import { countByStatus, countPendingOfEach } from '../transactions/counted/tallies.ts'
import { amountsFrom, fromJson, toJson } from '../values.ts'

/** `hasOwnNodes`: it shares none with the other relayers of its network. */
export interface AttendedRelayer {
  readonly id: RelayerId
  readonly network: NetworkName
  readonly notificationId: string | null
  readonly hasOwnNodes: boolean
}

const publish = insertion('outbox', [
  ...(['relayer_id', 'transaction_id', 'kind', 'status', 'terminal'] as const),
  ...(['occurred_at', 'notification_id', 'attention'] as const),
])

async function publishAttention(
  executor: Executor,
  subject: AttentionSubjectId,
  attention: ShownAttention,
  { notificationId, now }: { readonly notificationId: string | null; readonly now: TimestampMs },
): Promise<void> {
  await executor.all(publish, {
    relayer_id: attention.relayers[0]?.id ?? noRelayer,
    transaction_id: subject,
    kind: 'relayer_attention',
    status: 'pending',
    terminal: attention.conditions.length === 0 ? 1 : 0,
    occurred_at: now,
    notification_id: notificationId,
    attention: toJson(attention),
  })
}

/** Publishes what a report changes, and returns what to store with it, and when the next report may change something. */
export async function attendRelayer(
  executor: Executor,
  { id, network, notificationId, hasOwnNodes }: AttendedRelayer,
  before: Attention,
  { observedAt, conditions }: Pick<OwnerReport, 'observedAt' | 'conditions'>,
): Promise<{ readonly attention: Attention; readonly nextAt?: TimestampMs }> {
  const isOwn = ({ condition }: Held) => hasOwnNodes || !isOfNodes(condition)
  const own = conditions.filter(isOwn)
  // Of two owners that begin an outage, one waits here for the other.
  if (!conditions.every(isOwn)) {
    await executor.all(open, { network, notification_id: notificationId ?? nobody, attention: toJson<Attention>([]) })
  }
  const { isEvent, ...after } = attend(before, own.map(lookedAt(observedAt)), observedAt)
  if (isEvent) {
    const waiting = pendingIn(await countByStatus(executor, id))
    const shown = { network, relayers: [{ id, waiting }], conditions: shownConditions(after.attention) } as const
    await publishAttention(executor, `relayer ${id}`, shown, { notificationId, now: observedAt })
  }
  return after
}

/** The relayer is deleted: an event ends what its events have begun. */
export async function endAttention(
  executor: Executor,
  { id, network, notificationId }: Omit<AttendedRelayer, 'hasOwnNodes'>,
  before: Attention,
  now: TimestampMs,
): Promise<void> {
  if (endOf(before).isEvent) {
    const shown = { network, relayers: [{ id, waiting: 0 }], conditions: [] }
    await publishAttention(executor, `relayer ${id}`, shown, { notificationId, now })
  }
  await attendNetwork(executor, network, now)
}

const lookedAt =
  (observedAt: TimestampMs) =>
  ({ condition, since, acknowledged }: Held): LookedAt => ({
    ...{ condition, since, observedAt, isAcknowledged: acknowledged !== undefined },
  })

/** Of relayers that use the network's nodes. */
const members = statement<
  { network: NetworkName },
  { id: RelayerId; notification_id: string | null; observed_at: number | null; conditions: string | null }
>((db, p) =>
  db
    .selectFrom('relayers')
    .leftJoin('owner_reports', 'owner_reports.relayer_id', 'relayers.id')
    .select(['relayers.id', 'relayers.notification_id', 'owner_reports.observed_at', 'owner_reports.conditions'])
    .where('relayers.network', '=', p.network)
    .where((eb) => eb.not(ownNodes()))
    .orderBy('relayers.id'),
)

/** Of the relayer in the row of `relayers`. */
export const ownNodes = () =>
  sql<boolean>`EXISTS (SELECT 1 FROM managed WHERE kind = 'relayer' AND managed.id = relayers.id AND sealed IS NOT NULL)`

/** Whether an outage of the nodes of its network was reported, and may be over. Of the relayer in the row of `relayers`. */
export const isNetworkAttended = () =>
  sql<boolean>`EXISTS (SELECT 1 FROM network_attentions WHERE network_attentions.network = relayers.network AND network_attentions.attention <> '[]')`

const acknowledged = statement<
  { network: NetworkName },
  Pick<AcknowledgmentTable, 'relayer_id' | 'condition' | 'since'>
>((db, p) =>
  db
    .selectFrom('acknowledgments')
    .innerJoin('relayers', 'relayers.id', 'acknowledgments.relayer_id')
    .select(['relayer_id', 'condition', 'since'])
    .where('relayers.network', '=', p.network),
)

const open = insertionOnce('network_attentions', ['network', 'notification_id'], ['attention'])

const locked = statement<{ network: NetworkName }, Omit<NetworkAttentionTable, 'network'>>((db, p, dialect) =>
  db
    .selectFrom('network_attentions')
    .select(['notification_id', 'attention'])
    .where('network', '=', p.network)
    .orderBy('notification_id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const keep = statement<NetworkAttentionTable>((db, p) =>
  db
    .updateTable('network_attentions')
    .set({ attention: p.attention })
    .where('network', '=', p.network)
    .where('notification_id', '=', p.notification_id),
)

/** Of relayers without a notification. */
const nobody = ''
/** The end of an outage whose relayers were deleted, or name another notification. */
const noRelayer = '' as RelayerId

/** As `attendRelayer`, of the nodes of a network: one event for each notification of its relayers. */
export async function attendNetwork(
  executor: Executor,
  network: NetworkName,
  now: TimestampMs,
): Promise<TimestampMs | undefined> {
  const known = await executor.all(locked, { network })
  // Only now: an owner that had the lock may have changed them.
  const groups = Map.groupBy(await executor.all(members, { network }), (row) => row.notification_id ?? nobody)
  const seen = await executor.all(acknowledged, { network })
  const nexts: TimestampMs[] = []
  for (const { notification_id, attention } of known) {
    const group = groups.get(notification_id) ?? []
    const looked = group.flatMap(({ id, observed_at: observedAt, conditions }) => {
      if (observedAt === null || now - observedAt > reportKeptMs) return []
      const isAcknowledged = ({ condition, since }: Held) =>
        seen.some((each) => each.relayer_id === id && each.condition === condition && each.since === since)
      return nodesIn(conditions).map((held) => ({
        ...lookedAt(observedAt)(held),
        isAcknowledged: isAcknowledged(held),
      }))
    })
    const before = fromJson(attention)
    const after = group.length > 0 ? attend(before, ofSharedNodes(looked), now) : endOf(before)
    await executor.all(keep, { network, notification_id, attention: toJson(after.attention) })
    if (after.nextAt !== undefined) nexts.push(after.nextAt)
    if (!after.isEvent) continue
    const relayers = await waitingOf(executor, group)
    const shown = { network, isOfNetwork: true, relayers, conditions: shownConditions(after.attention) } as const
    const notificationId = notification_id === nobody ? null : notification_id
    await publishAttention(executor, `network ${network}`, shown, { notificationId, now })
  }
  return nexts.length > 0 ? Math.min(...nexts) : undefined
}

function nodesIn(conditions: string | null): readonly Held[] {
  if (conditions === null) return []
  return amountsFrom<readonly Held[]>(conditions).filter(({ condition }) => isOfNodes(condition))
}

async function waitingOf(executor: Executor, group: readonly { readonly id: RelayerId }[]) {
  const pending = new Map((await countPendingOfEach(executor)).map((each) => [each.relayerId, each.count]))
  return group.map(({ id }) => ({ id, waiting: pending.get(id) ?? 0 }))
}
