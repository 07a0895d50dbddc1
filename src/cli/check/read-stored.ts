// The relayers in the database: those that the API made, and the API's changes of the file's relayers.
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { DatabaseConfig } from '../../config/config.ts'
import type { Address } from '../../domain/ids.ts'
import { openPool } from '../../store/postgres/connect.ts'

export interface StoredRows {
  /** The stored relayers, including those that the file no longer has. */
  readonly relayers: readonly StoredRelayer[]
  /** The entities that the API made, and its changes of the file's relayers. */
  readonly entities: readonly { readonly id: string; readonly facts: string }[]
}

interface StoredRelayer {
  readonly id: string
  readonly network: string
  readonly address: Address
  readonly policies: string
}

export function madeByApi({ relayers, entities }: StoredRows): readonly StoredRelayer[] {
  const made = new Set(entities.filter(({ facts }) => JSON.parse(facts).origin === 'api').map(({ id }) => id))
  return relayers.filter(({ id }) => made.has(id))
}

const ofRelayers = 'SELECT id, network, address, policies FROM relayers ORDER BY id'
const ofEntities = "SELECT id, facts FROM managed WHERE kind = 'relayer'"
export const noRows: StoredRows = { relayers: [], entities: [] }

/** No rows before the first start. Undefined where they can't be read, whose reason the check of the database names. */
export async function readStored(database: DatabaseConfig): Promise<StoredRows | undefined> {
  try {
    return database.kind === 'sqlite' ? fromFile(database.path) : await fromServer(database)
  } catch {
    return undefined
  }
}

function fromFile(path: string): StoredRows {
  if (!existsSync(path)) return noRows
  const database = new Database(path, { readonly: true })
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'managed'").get()
    if (!table) return noRows
    return {
      relayers: database.prepare<[], StoredRelayer>(ofRelayers).all(),
      entities: database.prepare<[], StoredRows['entities'][number]>(ofEntities).all(),
    }
  } finally {
    database.close()
  }
}

async function fromServer({ url }: Extract<DatabaseConfig, { kind: 'postgres' }>): Promise<StoredRows> {
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  try {
    const { rows: tables } = await pool.query("SELECT 1 WHERE to_regclass('managed') IS NOT NULL")
    if (tables.length === 0) return noRows
    const { rows: relayers } = await pool.query<StoredRelayer>(ofRelayers)
    const { rows: entities } = await pool.query<StoredRows['entities'][number]>(ofEntities)
    return { relayers, entities }
  } finally {
    await pool.end()
  }
}
