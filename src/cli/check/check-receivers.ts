// Which relayers may send to anybody, and which to nobody: those of the file, and those of the API in the database.
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { DatabaseConfig, RelayerConfig } from '../../config/config.ts'
import { openPool } from '../../store/postgres/connect.ts'
import type { Finding } from './finding.ts'

type Receivers = readonly string[] | undefined

interface Rows {
  readonly relayers: readonly { readonly id: string; readonly policies: string }[]
  /** What the API made, and its changes of the file's relayers. */
  readonly entities: readonly { readonly id: string; readonly facts: string }[]
}

const place = 'configuration'
const check = 'receivers'

export async function checkReceivers(
  file: readonly Pick<RelayerConfig, 'id' | 'policies'>[],
  database: DatabaseConfig,
): Promise<readonly Finding[]> {
  const stored = await rowsOf(database)
  const rows = stored ?? none
  const receivers = new Map([
    ...file.map(({ id, policies }) => [id, overlaid(policies.whitelistReceivers, id, rows)] as const),
    ...madeByApi(rows),
  ])
  const idsOf = (test: (list: Receivers) => boolean) =>
    [...receivers].filter(([, list]) => test(list)).map(([id]) => id)
  const open = idsOf((list) => list === undefined)
  const closed = idsOf((list) => list?.length === 0)
  if (stored && open.length + closed.length === 0) {
    return [{ level: 'ok', place, check, text: 'each relayer has a list of receivers' }]
  }
  const warning = (ids: readonly string[], text: string): readonly Finding[] =>
    ids.length === 0 ? [] : [{ level: 'warning', place, check, text: `${text}: ${named(ids)}` }]
  return [
    ...(stored ? [] : [{ level: 'warning', place, check, text: unread } as const]),
    ...warning(open, 'no whitelist_receivers, so sends may go to anybody'),
    ...warning(closed, 'whitelist_receivers is empty, so sends may go to nobody'),
  ]
}

const unread =
  "the database can't be read now, so relayers and changes of the API are not checked: read GET /api/v1/relayers"

const namedMax = 50

function named(ids: readonly string[]): string {
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return `${ids.slice(0, namedMax).join(', ')}${more}`
}

/** The file's list, or that of a change through the API. */
function overlaid(inFile: Receivers, id: string, { entities }: Rows): Receivers {
  const row = entities.find((each) => each.id === id)
  const policies = row && JSON.parse(row.facts).overlay?.policies
  return policies && Object.hasOwn(policies, 'whitelistReceivers') ? (policies.whitelistReceivers ?? undefined) : inFile
}

function madeByApi({ relayers, entities }: Rows): readonly (readonly [id: string, Receivers])[] {
  const made = new Set(entities.filter(({ facts }) => JSON.parse(facts).origin === 'api').map(({ id }) => id))
  return relayers
    .filter(({ id }) => made.has(id))
    .map(({ id, policies }) => [id, JSON.parse(policies).whitelistReceivers])
}

const ofRelayers = 'SELECT id, policies FROM relayers ORDER BY id'
const ofEntities = "SELECT id, facts FROM managed WHERE kind = 'relayer'"
const none: Rows = { relayers: [], entities: [] }

/** No rows before the first start. Undefined where they can't be read, whose reason the check of the database names. */
async function rowsOf(database: DatabaseConfig): Promise<Rows | undefined> {
  try {
    return database.kind === 'sqlite' ? fromFile(database.path) : await fromServer(database)
  } catch {
    return undefined
  }
}

function fromFile(path: string): Rows {
  if (!existsSync(path)) return none
  const database = new Database(path, { readonly: true })
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'managed'").get()
    if (!table) return none
    return {
      relayers: database.prepare<[], Rows['relayers'][number]>(ofRelayers).all(),
      entities: database.prepare<[], Rows['entities'][number]>(ofEntities).all(),
    }
  } finally {
    database.close()
  }
}

async function fromServer({ url }: Extract<DatabaseConfig, { kind: 'postgres' }>): Promise<Rows> {
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  try {
    const { rows: tables } = await pool.query("SELECT 1 WHERE to_regclass('managed') IS NOT NULL")
    if (tables.length === 0) return none
    const { rows: relayers } = await pool.query<Rows['relayers'][number]>(ofRelayers)
    const { rows: entities } = await pool.query<Rows['entities'][number]>(ofEntities)
    return { relayers, entities }
  } finally {
    await pool.end()
  }
}
