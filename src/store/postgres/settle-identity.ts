// A server that was promoted without the last commits of its primary, or a dump that was put back, gives the ids of their events out
// again. Receivers that skip lower ids would drop real events, and a stream that is ahead would stay silent. So ids go on far above the
// lost ones, from the first session on the promoted server or the restored table on, and the ids in between are on record as lost.
import type { Client, ClientBase, Pool } from 'pg'
import type { ServerIdentity } from './known-server.ts'
import { raiseSequences } from './raise-sequences.ts'

/**
 * Far more events than a database takes in a second. Ids that go on at so many for each second since 1970 are above all that another
 * server or copy has given out until now, also where one dump is put back twice. The sequence itself proves nothing.
 */
const idsASecond = 2 ** 18
/** Where the ids are ahead of the server's clock: far more than the events that a standby may lack. */
const lostEventsMax = 2 ** 24

interface IdentityRow {
  readonly system: string
  readonly timeline: number
  readonly outbox: number
  readonly outboxNow: number
}

/** Returns the id up to which no event of this server is still to be committed; 0 where it never changed. */
export async function settleIdentity(
  client: Client | ClientBase,
  { system, timeline }: ServerIdentity,
): Promise<number> {
  await client.query('BEGIN')
  try {
    await raiseSequences(client)
    await client.query(
      `INSERT INTO server_identity (id, system_identifier, timeline, outbox_oid) VALUES (1, $1, $2, 'outbox'::regclass::oid::int8)
        ON CONFLICT (id) DO NOTHING`,
      [system, timeline],
    )
    const { rows } = await client.query<IdentityRow>(
      `SELECT system_identifier AS system, timeline, outbox_oid AS outbox, 'outbox'::regclass::oid::int8 AS "outboxNow"
        FROM server_identity WHERE id = 1 FOR UPDATE`,
    )
    const [stored] = rows
    const isRestored = stored?.outbox !== stored?.outboxNow
    const isPromoted = stored?.system !== system || stored.timeline !== timeline
    if (isPromoted || isRestored) await skipLostEvents(client, { system, timeline })
    const { rows: lost } = await client.query<{ through: number }>(
      'SELECT COALESCE(max(through_id), 0) AS through FROM lost_events',
    )
    await client.query('COMMIT')
    return lost[0]?.through ?? 0
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** If the commit fails, the sequence is higher all the same, and the next try raises it once more. */
async function skipLostEvents(client: Client | ClientBase, { system, timeline }: ServerIdentity): Promise<void> {
  await client.query(
    `WITH newest AS (
      SELECT GREATEST((SELECT max(id) FROM outbox), (SELECT through FROM outbox_pruned WHERE id = 1), 0) AS above_id
    ), raised AS (
      SELECT setval('outbox_id_seq', CASE WHEN timely > last_value THEN timely ELSE last_value + $2::int8 END) AS through_id
        FROM outbox_id_seq, (SELECT (extract(epoch FROM clock_timestamp()) * $1::int8)::int8 AS timely) AS clock
    )
    INSERT INTO lost_events (through_id, above_id) SELECT through_id, above_id FROM raised, newest`,
    [idsASecond, lostEventsMax],
  )
  await client.query(
    `UPDATE server_identity SET system_identifier = $1, timeline = $2, outbox_oid = 'outbox'::regclass::oid::int8 WHERE id = 1`,
    [system, timeline],
  )
}

/** Whether another server may have given the id out. The last id of a gap is where readers of this server begin. */
export async function isLostEvent(pool: Pool, id: number): Promise<boolean> {
  const sql = `SELECT 1 FROM lost_events WHERE above_id < $1 AND through_id > $1
    AND NOT EXISTS (SELECT 1 FROM lost_events WHERE through_id = $1) LIMIT 1`
  return (await pool.query(sql, [id])).rows.length > 0
}
