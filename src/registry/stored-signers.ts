// The signers that were created through the API: each opened anew only when its row is another.
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Entity } from '../store/store.ts'
import { keyFromEntity } from './stored-entities.ts'

export interface StoredSigners {
  get(id: string): Signer | undefined
  /** Rejects where what is sealed does not open; those before it are open then. */
  refresh(rows: readonly Entity[]): Promise<void>
}

export function storedSigners(vault: Vault, openSigner: (id: string, key: Secret) => Promise<Signer>): StoredSigners {
  const signers = new Map<string, { readonly signer: Signer; readonly revision: number }>()
  return {
    get: (id) => signers.get(id)?.signer,
    async refresh(rows) {
      for (const row of rows) {
        if (signers.get(row.id)?.revision === row.revision) continue
        const signer = await openSigner(row.id, keyFromEntity(vault, row))
        signers.set(row.id, { signer, revision: row.revision })
      }
      for (const id of signers.keys()) if (!rows.some((row) => row.id === id)) signers.delete(id)
    },
  }
}
