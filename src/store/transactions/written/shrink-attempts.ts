// Shrinks the attempts of transactions that have ended: nothing broadcasts them again, so their signed bytes go.
import { type RawBuilder, sql } from 'kysely'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { Nonce } from '../../../domain/units.ts'
import type { AttemptsShrunkTable } from '../../access-tables.ts'
import { isAmong } from '../../in-lists.ts'
import type { ShrinkableAccount, ShrunkPortion } from '../../retention-port.ts'
import type { RelayerTable } from '../../schema.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'
import type { TransactionRow } from '../rows/transaction-row.ts'

/** The next transaction of an account has ended, in the order of nonces. */
const nextIsClosed = sql<boolean>`(
  SELECT t.open FROM transactions AS t
  WHERE t.relayer_id = account.id AND t.nonce IS NOT NULL AND t.nonce < account.spent_below AND t.nonce >= COALESCE(
    (SELECT s.below FROM attempts_shrunk AS s
      WHERE s.relayer_id = account.id AND s.chain_id = account.chain_id AND s.address = account.address), 0)
  ORDER BY t.nonce LIMIT 1
) = 0`

const columns = ['id', 'chain_id', 'address', 'spent_below'] as const
type AccountRow = Pick<RelayerTable, (typeof columns)[number]>

const ofRelayers = statement<object, AccountRow>((db) =>
  db.selectFrom('relayers as account').select(columns).where(nextIsClosed),
)

const ofFormerRelayers = statement<object, AccountRow>((db) =>
  db.selectFrom('former_relayers as account').select(columns).where(nextIsClosed),
)

export async function shrinkableAccounts(executor: Executor): Promise<readonly ShrinkableAccount[]> {
  const rows = [...(await executor.all(ofRelayers, {})), ...(await executor.all(ofFormerRelayers, {}))]
  return rows.map((row) => ({
    relayerId: row.id,
    chainId: row.chain_id,
    address: row.address,
    spentBelow: row.spent_below,
  }))
}

const position = statement<Omit<AttemptsShrunkTable, 'below'>, Pick<AttemptsShrunkTable, 'below'>>((db, p) =>
  db
    .selectFrom('attempts_shrunk')
    .select('below')
    .where('relayer_id', '=', p.relayer_id)
    .where('chain_id', '=', p.chain_id)
    .where('address', '=', p.address),
)

// Two replicas may try the same portion: the second waits for the first here, and then finds another position.
const advance = statement<AttemptsShrunkTable & { from: number }, Pick<AttemptsShrunkTable, 'below'>>((db, p) =>
  db
    .insertInto('attempts_shrunk')
    .values({ relayer_id: p.relayer_id, chain_id: p.chain_id, address: p.address, below: p.below })
    .onConflict((conflict) =>
      conflict
        .columns(['relayer_id', 'chain_id', 'address'])
        .doUpdateSet({ below: p.below })
        .where('attempts_shrunk.below', '=', p.from),
    )
    .returning('below'),
)

type NextRow = Pick<TransactionRow, 'id' | 'open'> & { nonce: number }

// A relayer may have had other accounts, which counted from 0, too: without the bound, the search would pass nonces that
// this account is still to use.
const following = statement<{ relayerId: RelayerId; from: number; spent: number; limit: number }, NextRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(['id', 'open', 'nonce'])
    .$narrowType<{ nonce: number }>()
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', 'is not', null)
    .where('nonce', '>=', p.from)
    .where('nonce', '<', p.spent)
    .orderBy('nonce')
    .limit(p.limit),
)

interface Ids {
  ids: Json<readonly TransactionId[]>
}

/** Binary, if the same text can be made from it: 34 bytes less. */
function packed(column: 'r' | 's'): RawBuilder<unknown> {
  const text = sql.ref(column)
  const binary = sql`unhex(substr(${text}, 3))`
  return sql`CASE WHEN ${text} = '0x' || lower(hex(${binary})) THEN ${binary} ELSE ${text} END`
}

/**
 * A shorter row would leave a gap on its page, and SQLite does not fill it: new rows go to the end of the table. So the
 * shorter rows go there, too, without gaps. They were neighbors, so whole pages become free for new rows.
 */
function moveShorter(ids: Ids['ids']): RawBuilder<never> {
  return sql`UPDATE attempts SET raw = '', r = ${packed('r')}, s = ${packed('s')}, rowid = given.place
    FROM (
      SELECT a.rowid AS old, (SELECT max(rowid) FROM attempts) + row_number() OVER (ORDER BY a.rowid) AS place
      FROM attempts AS a WHERE ${isAmong('a.transaction_id', ids, 'sqlite')} AND a.raw <> ''
    ) AS given
    WHERE attempts.rowid = given.old`
}

const shrink = statement<Ids>((db, p, dialect) => {
  if (dialect === 'sqlite') return { compile: () => moveShorter(p.ids).compile(db) }
  // The signature stays a text: its columns hold nothing else here.
  return db
    .updateTable('attempts')
    .set({ raw: '' })
    .where(isAmong('transaction_id', p.ids, dialect))
    .where('raw', '<>', '')
})

export async function shrinkAttempts(
  executor: Executor,
  account: ShrinkableAccount,
  rows: number,
): Promise<ShrunkPortion> {
  const { relayerId, spentBelow: spent } = account
  const key = { relayer_id: relayerId, chain_id: account.chainId, address: account.address }
  const from = (await first(executor, position, key))?.below ?? 0
  const found = await executor.all(following, { relayerId, from, spent, limit: rows })
  const isFull = found.length === rows
  const lowestOpen = found.find(({ open }) => open === 1)?.nonce
  const below = lowestOpen ?? behind(from, found, isFull)
  const ids = found.flatMap(({ id, nonce, open }) => (open === 0 && nonce < below ? [id] : []))
  const mayHaveMore = isFull && lowestOpen === undefined
  if (ids.length === 0) return { transactions: 0, mayHaveMore: false }
  if (!(await first(executor, advance, { ...key, from, below }))) return { transactions: 0, mayHaveMore }
  await executor.all(shrink, { ids: toJson(ids) })
  return { transactions: ids.length, mayHaveMore }
}

function behind(from: Nonce, found: readonly NextRow[], isFull: boolean): Nonce {
  const last = found.at(-1)?.nonce ?? from
  // Behind a full portion, another account may have used the last nonce, too.
  return isFull && last > from ? last : last + 1
}
