// The registry's entities as rows, and the revision by which a replica notices that its copy is outdated.
import { sql } from 'kysely'
import { upsert } from '../insert-rows.ts'
import type { EntityTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { Entity, EntityKind } from '../store.ts'

const all = statement<object, EntityTable>((db) => db.selectFrom('managed').selectAll().orderBy('kind').orderBy('id'))

export async function listEntities(executor: Executor): Promise<readonly Entity[]> {
  return (await executor.all(all, {})).map(entityFromRow)
}

const one = statement<{ kind: EntityKind; id: string }, EntityTable>((db, p) =>
  db.selectFrom('managed').selectAll().where('kind', '=', p.kind).where('id', '=', p.id),
)

export async function findEntity(executor: Executor, kind: EntityKind, id: string): Promise<Entity | undefined> {
  const row = await first(executor, one, { kind, id })
  return row && entityFromRow(row)
}

const save = upsert('managed', ['kind', 'id'], ['facts', 'sealed', 'revision'])

export async function saveEntity(executor: Executor, entity: Omit<Entity, 'revision'>): Promise<void> {
  const revision = await raiseRevision(executor)
  await executor.all(save, { ...entity, sealed: entity.sealed ?? null, revision })
}

const remove = statement<{ kind: EntityKind; id: string }>((db, p) =>
  db.deleteFrom('managed').where('kind', '=', p.kind).where('id', '=', p.id),
)

export async function removeEntity(executor: Executor, kind: EntityKind, id: string): Promise<void> {
  await raiseRevision(executor)
  await executor.all(remove, { kind, id })
}

// Locks the row until the commit: changes of the registry run one after another.
const raise = statement<object, { revision: number }>((db) =>
  db.updateTable('estate').set({ revision: sql<number>`revision + 1` }).where('id', '=', 1).returning('revision'),
)

export async function raiseRevision(executor: Executor): Promise<number> {
  return (await first(executor, raise, {}))?.revision ?? 0
}

const current = statement<object, { revision: number }>((db) =>
  db.selectFrom('estate').select('revision').where('id', '=', 1),
)

export async function readRevision(executor: Executor): Promise<number> {
  return (await first(executor, current, {}))?.revision ?? 0
}

function entityFromRow(row: EntityTable): Entity {
  const { kind, id, facts, sealed, revision } = row
  return { kind, id, facts, ...(sealed !== null && { sealed }), revision: Number(revision) }
}
