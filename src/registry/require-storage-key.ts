// Refuses to start without a key for what relayers that the API changed store sealed.
import { OperatorError } from '../ops/operator-error.ts'
import type { Vault } from '../ops/vault.ts'
import type { Store } from '../store/store.ts'
import { relayersMax } from './registry.ts'

/** Call it once the file's relayers are stored. Throws OperatorError, so that a start fails rather than a later cancellation. */
export async function requireStorageKey({ reads }: Store, vault: Vault): Promise<void> {
  if (vault.canSeal) return
  const { items } = await reads.relayers({ page: 1, perPage: relayersMax })
  const names = items.filter(({ policies }) => policies.presignCancel).map(({ id }) => `"${id}"`)
  if (names.length === 0) return
  throw new OperatorError(
    `the policy presign_cancel of relayer ${names.join(', ')} needs a key to seal signed no-ops with, and STORAGE_ENCRYPTION_KEY is not set; set it to the key of before`,
  )
}
