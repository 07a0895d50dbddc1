// The record of a relayer's gap fillers. It is counted from rows, so that the limit survives a restart and another owner.
import { sql } from 'kysely'
import { windowMax } from '../../domain/decide/terms/window.ts'
import { fillsWindowMs, type GapRecord, permitMsMax } from '../../domain/gap-record.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Nonce, TimestampMs } from '../../domain/units.ts'
import type { GapPermitTable } from '../access-tables.ts'
import { insertionOnce, upsert } from '../insert-rows.ts'
import type { RelayerChanges } from '../relayer-port.ts'
import { type Executor, first, statement } from '../statement.ts'

const released = statement<{ relayerId: RelayerId; from: number; limit: number }, { nonce: number }>((db, p) =>
  db
    .selectFrom('released_nonces')
    .select('nonce')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '>=', p.from)
    .orderBy('nonce')
    .limit(p.limit),
)

const filledSince = statement<{ relayerId: RelayerId; since: number }, { total: number }>((db, p) =>
  db
    .selectFrom('gap_fills')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('relayer_id', '=', p.relayerId)
    .where('filled_at', '>', p.since),
)

const permit = statement<{ relayerId: RelayerId; now: number }, GapPermitTable>((db, p) =>
  db.selectFrom('gap_permits').selectAll().where('relayer_id', '=', p.relayerId).where('expires_at', '>', p.now),
)

export async function readGapRecord(
  executor: Executor,
  relayerId: RelayerId,
  from: Nonce,
  now: TimestampMs,
): Promise<GapRecord> {
  const [nonces, inHour, granted] = await Promise.all([
    executor.all(released, { relayerId, from, limit: windowMax }),
    first(executor, filledSince, { relayerId, since: now - fillsWindowMs }),
    first(executor, permit, { relayerId, now }),
  ])
  // A gap filler of the same millisecond may be newer than the permit.
  const used = granted && (await first(executor, filledSince, { relayerId, since: granted.granted_at - 1 }))
  return {
    released: new Set(nonces.map(({ nonce }) => nonce)),
    filledInHour: inHour?.total ?? 0,
    permitted: granted ? Math.max(0, granted.fills - (used?.total ?? 0)) : 0,
  }
}

const insertReleased = insertionOnce('released_nonces', ['relayer_id', 'nonce'])
const forgetSpent = statement<{ relayerId: RelayerId }>((db, p) =>
  db
    .deleteFrom('released_nonces')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '<', sql<number>`(SELECT spent_below FROM relayers WHERE id = ${p.relayerId})`),
)

/** A transaction of ours gives the nonce back. */
export async function releaseNonce(executor: Executor, relayerId: RelayerId, nonce: Nonce): Promise<void> {
  await executor.all(forgetSpent, { relayerId })
  await executor.all(insertReleased, { relayer_id: relayerId, nonce })
}

const insertFill = insertionOnce('gap_fills', ['relayer_id', 'filled_at', 'nonce'])
const forgetOld = statement<{ relayerId: RelayerId; before: number }>((db, p) =>
  db.deleteFrom('gap_fills').where('relayer_id', '=', p.relayerId).where('filled_at', '<', p.before),
)

const savePermit = upsert('gap_permits', ['relayer_id'], ['fills', 'granted_at', 'expires_at'])

export function gapRecordChanges(executor: Executor): Pick<RelayerChanges, 'recordGapFill' | 'permitGapFillers'> {
  return {
    async recordGapFill(relayerId, nonce, now) {
      // No permit is older.
      await executor.all(forgetOld, { relayerId, before: now - permitMsMax - fillsWindowMs })
      await executor.all(insertFill, { relayer_id: relayerId, filled_at: now, nonce })
    },
    async permitGapFillers(relayerId, { fills, grantedAt, expiresAt }) {
      await executor.all(savePermit, { relayer_id: relayerId, fills, granted_at: grantedAt, expires_at: expiresAt })
    },
  }
}
