// Whether the locks of an owner are on the server that its epoch is written to. After a failover one session may still be on the
// server that was left behind, where its locks keep nobody out.
import { sql } from 'kysely'
import { LocksElsewhere } from '../../domain/errors.ts'
import type { LockProof } from '../locks.ts'
import { type Executor, first, statement } from '../statement.ts'

interface Sought {
  readonly member: number
  readonly lockClass: number
  readonly slots: readonly number[]
  readonly tokenHigh: number
  readonly tokenLow: number
}

// Numbers of sessions repeat on another server, and those of a container repeat often: the random lock does not.
const heldHere = statement<Sought, { held: number }>((db, p) =>
  db.selectNoFrom(
    sql<number>`(
      WITH its AS MATERIALIZED (
        SELECT classid, objid, objsubid FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND pid = CAST(${p.member} AS INT4)
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      )
      SELECT count(*) FROM its
      WHERE objsubid = 2 AND classid = CAST(CAST(${p.lockClass} AS INT8) AS OID)
        AND CAST(objid AS INT8) = ANY (CAST(${p.slots} AS INT8[]))
        AND EXISTS (
          SELECT 1 FROM its AS token
          WHERE token.objsubid = 1 AND token.classid = CAST(CAST(${p.tokenHigh} AS INT8) AS OID)
            AND token.objid = CAST(CAST(${p.tokenLow} AS INT8) AS OID)
        ))`.as('held'),
  ),
)

const half = 2n ** 32n

export async function proveLocks(executor: Executor, { member, lockClass, slots, token }: LockProof): Promise<void> {
  const wanted = [...new Set(slots)]
  const bits = BigInt.asUintN(64, token)
  const sought = { member, lockClass, slots: wanted, tokenHigh: Number(bits / half), tokenLow: Number(bits % half) }
  const found = await first(executor, heldHere, sought)
  if (found?.held === wanted.length) return
  throw new LocksElsewhere('the server of this commit does not hold the locks of the session that owns relayers')
}
