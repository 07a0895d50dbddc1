// The signers that were created through the API: each opened anew only when its row is another.
import type { Address } from '../domain/ids.ts'
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Entity, Store } from '../store/store.ts'
import type { SignerFacts } from './entities.ts'
import { secretFromEntity, signerFromEntity } from './stored-entities.ts'

interface StoredSigners extends AsyncDisposable {
  get(id: string): Signer | undefined
  /** Rejects where what is sealed does not open; those before it are open then. */
  refresh(rows: readonly Entity[]): Promise<void>
}

/** Resolves to undefined for a signer that no relayer can use. */
export type OpenStoredSigner = (facts: SignerFacts, secret: Secret) => Promise<Signer | undefined>

/** A signature under way fails, and is requested again from the signer that stands in its place. */
function close(signer: Signer | undefined): void {
  void signer?.close?.()
}

export function storedSigners(vault: Vault, openSigner: OpenStoredSigner): StoredSigners {
  const signers = new Map<string, { readonly signer: Signer | undefined; readonly revision: number }>()
  return {
    get: (id) => signers.get(id)?.signer,
    async refresh(rows) {
      for (const row of rows) {
        const known = signers.get(row.id)
        // One that did not open is tried again with each change.
        if (known?.revision === row.revision && known.signer) continue
        const signer = await openSigner(signerFromEntity(row), secretFromEntity(vault, row))
        close(signers.get(row.id)?.signer)
        signers.set(row.id, { signer, revision: row.revision })
      }
      for (const [id, { signer }] of signers) {
        if (rows.some((row) => row.id === id)) continue
        close(signer)
        signers.delete(id)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...signers.values()].map(({ signer }) => signer?.close?.()))
    },
  }
}

/** The address of the relayers that are stored with a signer: its key must not become another behind an alias. */
export function storedAddress(store: Store): (signerId: string) => Promise<Address | undefined> {
  return (signerId) =>
    store.commit(async (session) => {
      const [id] = await session.relayersUsing('signer', signerId)
      return id === undefined ? undefined : (await session.relayer(id))?.address
    })
}
