// The signers that were created through the API: each opened anew only when its row is another.
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Entity } from '../store/store.ts'
import type { SignerFacts } from './entities.ts'
import { secretFromEntity, signerFromEntity } from './stored-entities.ts'

export interface StoredSigners {
  get(id: string): Signer | undefined
  /** Rejects where what is sealed does not open; those before it are open then. */
  refresh(rows: readonly Entity[]): Promise<void>
}

/** Resolves to undefined for a signer that no relayer can use. */
export type OpenStoredSigner = (facts: SignerFacts, secret: Secret) => Promise<Signer | undefined>

export function storedSigners(vault: Vault, openSigner: OpenStoredSigner): StoredSigners {
  const signers = new Map<string, { readonly signer: Signer | undefined; readonly revision: number }>()
  return {
    get: (id) => signers.get(id)?.signer,
    async refresh(rows) {
      for (const row of rows) {
        if (signers.get(row.id)?.revision === row.revision) continue
        const signer = await openSigner(signerFromEntity(row), secretFromEntity(vault, row))
        signers.set(row.id, { signer, revision: row.revision })
      }
      for (const id of signers.keys()) if (!rows.some((row) => row.id === id)) signers.delete(id)
    },
  }
}
