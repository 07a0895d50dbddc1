// The last observation of each relayer, its last change by a client, and the acknowledgments of its conditions.

import type { Attention } from '../../domain/attention.ts'
import type { HeldCondition } from '../../domain/condition.ts'
import type { RelayerId } from '../../domain/ids.ts'
import {
  type Held,
  type HeldNetwork,
  isOfNodes,
  type OwnerReport,
  outageIn,
  type RelayerChange,
} from '../../domain/owner-report.ts'
import type { Funds } from '../../domain/runway.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { AcknowledgmentTable, OwnerReportTable, RelayerChangeTable } from '../access-tables.ts'
import { upsert } from '../insert-rows.ts'
import type { RecordedReport, RelayerChanges } from '../relayer-port.ts'
import type { Flag, RelayerTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import { amountsFrom, amountsToText, fromJson, type Json, toJson } from '../values.ts'
import {
  type AttendedRelayer,
  attendNetwork,
  attendRelayer,
  endAttention,
  isNetworkAttended,
  ownNodes,
} from './attentions.ts'

const ofReport = ['observed_at', 'balance', 'balance_read_at', 'funds', 'conditions'] as const

/** Replaces these columns of an older report. */
const putting = (columns: readonly (keyof OwnerReportTable)[]) =>
  statement<OwnerReportTable>((db, p) =>
    db
      .insertInto('owner_reports')
      .values({
        relayer_id: p.relayer_id,
        observed_at: p.observed_at,
        balance: p.balance,
        balance_read_at: p.balance_read_at,
        funds: p.funds,
        conditions: p.conditions,
        attention: p.attention,
      })
      .onConflict((conflict) =>
        conflict
          .column('relayer_id')
          .doUpdateSet((eb) => Object.fromEntries(columns.map((column) => [column, eb.ref(`excluded.${column}`)])))
          .whereRef('owner_reports.observed_at', '<=', 'excluded.observed_at'),
      ),
  )

const put = putting([...ofReport, 'attention'])
const putReportAlone = putting(ofReport)

interface RecordedRow extends Pick<RelayerTable, 'network' | 'notification_id'> {
  observed_at: number | null
  attention: Json<Attention> | null
  own_nodes: Flag | boolean
  is_attended: Flag | boolean
}

const recorded = statement<{ id: RelayerId }, RecordedRow>((db, p) =>
  db
    .selectFrom('relayers')
    .leftJoin('owner_reports', 'owner_reports.relayer_id', 'relayers.id')
    .select(['network', 'notification_id', 'observed_at', 'attention'])
    .select([ownNodes().as('own_nodes'), isNetworkAttended().as('is_attended')])
    .where('relayers.id', '=', p.id),
)

/** Whether the report can change nothing of what the events have shown. Such are most, and each costs a read and a write. */
function isQuiet({ attention }: RecordedRow, { conditions }: OwnerReport): boolean {
  return conditions.length === 0 && (attention === null || fromJson(attention).length === 0)
}

/** A report of another owner waits. */
const lock = statement<{ id: RelayerId }, Pick<OwnerReportTable, 'relayer_id'>>((db, p, dialect) =>
  db
    .selectFrom('owner_reports')
    .select('relayer_id')
    .where('relayer_id', '=', p.id)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

async function recordReport(executor: Executor, id: RelayerId, report: OwnerReport): Promise<RecordedReport> {
  const row = await first(executor, recorded, { id })
  if (!row) return {}
  const { network } = row
  const mayShow = row.is_attended || report.conditions.some(({ condition }) => isOfNodes(condition))
  const shared = !row.own_nodes && mayShow ? { network } : {}
  if (isQuiet(row, report)) {
    // Without what the events have shown: another owner may just have begun one.
    await executor.all(putReportAlone, rowOf(id, report, []))
    return shared
  }
  await executor.all(lock, { id })
  const locked = (await first(executor, recorded, { id })) ?? row
  const { observedAt } = report
  if ((locked.observed_at ?? observedAt) > observedAt) return {}
  const before = locked.attention === null ? [] : fromJson(locked.attention)
  const held = report.conditions.map(({ acknowledged: _, ...each }) => each)
  const conditions = await withAcknowledgments(executor, id, held)
  const relayer = { id, network, notificationId: row.notification_id, hasOwnNodes: Boolean(row.own_nodes) }
  const { attention, nextAt } = await attendRelayer(executor, relayer, before, { observedAt, conditions })
  await executor.all(put, rowOf(id, report, attention))
  return { ...shared, ...(nextAt !== undefined && { nextAt }) }
}

function rowOf(id: RelayerId, { observedAt, balance, funds, conditions }: OwnerReport, attention: Attention) {
  return {
    relayer_id: id,
    observed_at: observedAt,
    balance: balance?.wei.toString() ?? null,
    balance_read_at: balance?.readAt ?? null,
    funds: funds ? amountsToText(funds) : null,
    conditions: amountsToText(conditions.map(({ acknowledged: _, ...each }) => each)),
    attention: toJson(attention),
  }
}

const find = statement<{ id: RelayerId }, Omit<OwnerReportTable, 'relayer_id' | 'attention'>>((db, p) =>
  db
    .selectFrom('owner_reports')
    .select(['observed_at', 'balance', 'balance_read_at', 'funds', 'conditions'])
    .where('relayer_id', '=', p.id),
)

const acknowledgmentsOf = statement<{ id: RelayerId }, Omit<AcknowledgmentTable, 'relayer_id'>>((db, p) =>
  db.selectFrom('acknowledgments').select(['condition', 'since', 'acknowledgment']).where('relayer_id', '=', p.id),
)

export async function findOwnerReport(executor: Executor, id: RelayerId): Promise<OwnerReport | undefined> {
  const row = await first(executor, find, { id })
  if (!row) return undefined
  const conditions = await withAcknowledgments(executor, id, amountsFrom<readonly Held[]>(row.conditions))
  const { balance, balance_read_at: readAt } = row
  return {
    observedAt: row.observed_at,
    ...(balance !== null && readAt !== null && { balance: { wei: BigInt(balance), readAt } }),
    ...(row.funds !== null && { funds: amountsFrom<Funds>(row.funds) }),
    conditions,
  }
}

async function withAcknowledgments(executor: Executor, id: RelayerId, conditions: readonly Held[]) {
  const acknowledgments = conditions.length === 0 ? [] : await executor.all(acknowledgmentsOf, { id })
  return conditions.map((held) => {
    const seen = acknowledgments.find(({ condition, since }) => condition === held.condition && since === held.since)
    return seen ? { ...held, acknowledged: fromJson(seen.acknowledgment) } : held
  })
}

const held = statement<object, OutageRow>((db) =>
  db
    .selectFrom('owner_reports')
    .innerJoin('relayers', 'relayers.id', 'owner_reports.relayer_id')
    .select(['relayers.id', 'relayers.network', 'owner_reports.observed_at', 'owner_reports.conditions'])
    .where('owner_reports.conditions', '<>', '[]'),
)

type OutageRow = Pick<RelayerTable, 'id' | 'network'> & Pick<OwnerReportTable, 'observed_at' | 'conditions'>

export async function findOutages(executor: Executor): Promise<readonly HeldNetwork[]> {
  const rows = await executor.all(held, {})
  return rows.flatMap(({ observed_at: observedAt, conditions, ...of }) => {
    return outageIn({ ...of, observedAt, conditions: amountsFrom<readonly Held[]>(conditions) }) ?? []
  })
}

const putChange = upsert('relayer_changes', ['relayer_id'], ['change'])

const findChange = statement<{ id: RelayerId }, Pick<RelayerChangeTable, 'change'>>((db, p) =>
  db.selectFrom('relayer_changes').select('change').where('relayer_id', '=', p.id),
)

export async function findRelayerChange(executor: Executor, id: RelayerId): Promise<RelayerChange | undefined> {
  const row = await first(executor, findChange, { id })
  return row && fromJson(row.change)
}

const putAcknowledgment = upsert('acknowledgments', ['relayer_id', 'condition'], ['since', 'acknowledgment'])

const removeAcknowledgment = statement<{ id: RelayerId; condition: HeldCondition }>((db, p) =>
  db.deleteFrom('acknowledgments').where('relayer_id', '=', p.id).where('condition', '=', p.condition),
)

const removals = (['owner_reports', 'relayer_changes', 'acknowledgments'] as const).map((table) =>
  statement<{ id: RelayerId }>((db, p) => db.deleteFrom(table).where('relayer_id', '=', p.id)),
)

type ReportChanges = Pick<
  RelayerChanges,
  'ownerReport' | 'recordReport' | 'attendNetwork' | 'recordRelayerChange' | 'acknowledge' | 'withdrawAcknowledgment'
>

export function ownerReportChanges(executor: Executor): ReportChanges {
  return {
    ownerReport: (id) => findOwnerReport(executor, id),
    recordReport: (id, report) => recordReport(executor, id, report),
    attendNetwork: (network, now) => attendNetwork(executor, network, now),
    async recordRelayerChange(id, change) {
      await executor.all(putChange, { relayer_id: id, change: toJson(change) })
    },
    async acknowledge(id, { condition, since }, acknowledgment) {
      const row = { relayer_id: id, condition, since, acknowledgment: toJson(acknowledgment) }
      await executor.all(putAcknowledgment, row)
    },
    async withdrawAcknowledgment(id, condition) {
      await executor.all(removeAcknowledgment, { id, condition })
    },
  }
}

const attentionOf = statement<{ id: RelayerId }, Pick<OwnerReportTable, 'attention'>>((db, p) =>
  db.selectFrom('owner_reports').select('attention').where('relayer_id', '=', p.id),
)

/** All of it, with the relayer. Its events end. */
export async function removeOwnerReports(
  executor: Executor,
  relayer: Omit<AttendedRelayer, 'hasOwnNodes'>,
  now: TimestampMs,
): Promise<void> {
  const { id } = relayer
  await executor.all(lock, { id })
  const row = await first(executor, attentionOf, { id })
  for (const remove of removals) await executor.all(remove, { id })
  await endAttention(executor, relayer, row ? fromJson(row.attention) : [], now)
}
