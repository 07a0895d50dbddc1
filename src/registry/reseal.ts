// At start: opens every sealed secret once, and seals those under an earlier key again under the present one.
import type { Logger } from '../ops/logger.ts'
import type { Vault } from '../ops/vault.ts'
import type { Store } from '../store/store.ts'
import { nameOfEntity } from './stored-entities.ts'

/** Throws OperatorError where a key is missing, so that a start fails rather than a later transaction. */
export async function reseal(store: Store, vault: Vault, logger: Logger): Promise<void> {
  const rows = await store.reads.entities()
  const old = rows.flatMap((row) => {
    if (row.sealed === undefined) return []
    const text = vault.open(row.sealed, nameOfEntity(row))
    return vault.isCurrent(row.sealed) ? [] : [{ ...row, text }]
  })
  if (old.length === 0 || !vault.canSeal) return
  const resealed = await store.commit(async (session) => {
    await session.raiseRevision()
    let rows = 0
    for (const { kind, id, facts, text, revision } of old) {
      // A client, or another process that reseals, has changed the row since. That change stands.
      if ((await session.entity(kind, id))?.revision !== revision) continue
      await session.saveEntity({ kind, id, facts, sealed: vault.seal(text.reveal(), nameOfEntity({ kind, id })) })
      rows += 1
    }
    return rows
  })
  logger.info({ rows: resealed }, 'secrets in the database are sealed under the present STORAGE_ENCRYPTION_KEY')
}
