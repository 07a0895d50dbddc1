// At start: opens every sealed secret once, and seals those under an earlier key again under the present one. The
// pre-signed no-ops are among them.
import { placeOfNoOp } from '../domain/no-op.ts'
import type { Logger } from '../ops/logger.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { Vault } from '../ops/vault.ts'
import type { Store } from '../store/store.ts'
import { nameOfEntity } from './stored-entities.ts'

/** Throws OperatorError where a key is missing, so that a start fails rather than a later transaction. */
export async function reseal(store: Store, vault: Vault, logger: Logger): Promise<void> {
  await resealNoOps(store, vault)
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

const noOpsMax = 500

/** Reseals pre-signed no-ops. One that no key opens is of no use: others are signed in their place. */
async function resealNoOps(store: Store, vault: Vault): Promise<void> {
  if (!vault.canSeal) return
  const old = (await store.reads.presigned()).filter(({ sealed }) => vault.opens(sealed) && !vault.isCurrent(sealed))
  for (let from = 0; from < old.length; from += noOpsMax) {
    const resealed = old.slice(from, from + noOpsMax).flatMap((row) => underPresentKey(vault, row) ?? [])
    await store.commit(async (session) => {
      for (const row of resealed) await session.sealPresigned(row)
    })
  }
}

type SealedNoOp = Awaited<ReturnType<Store['reads']['presigned']>>[number]

function underPresentKey(vault: Vault, row: SealedNoOp): SealedNoOp | undefined {
  const place = placeOfNoOp(row.relayerId, row.hash)
  try {
    return { ...row, sealed: vault.seal(vault.open(row.sealed, place).reveal(), place) }
  } catch (error) {
    // The row was changed. The relayer deletes it when it needs it.
    if (error instanceof OperatorError) return undefined
    throw error
  }
}
