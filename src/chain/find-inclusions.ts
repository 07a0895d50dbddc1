// What took each spent nonce: one of our attempts, proven by its receipt, or a stranger, proven by the block itself.
import type { Address } from '../domain/ids.ts'
import type { LiveNonce } from '../domain/observation.ts'
import type { Inclusion } from '../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../domain/units.ts'
import type { Endpoints } from './endpoints.ts'
import { proveTaker } from './prove-taker.ts'
import type { ReadCanonical } from './read-canonical.ts'
import { readNonce } from './read-nonce.ts'
import { readReceipts } from './read-receipts.ts'
import type { TrackedHead } from './track-head.ts'

export interface FindInclusions {
  readonly endpoints: Endpoints
  readonly readCanonical: ReadCanonical
  /** How far down each search for a nonce came: it goes on at the next head. */
  readonly searched: Map<string, BlockNumber>
}

/** A proof costs a search through the chain: what is left over is proven in a later step. */
const proofsMax = 8
/** A node may index receipts after the block: without one, a nonce must have been spent for so many blocks. */
const provenAfterBlocks = 2

/** `spent` are live nonces below the account's nonce at `at`. What nothing proves yet is missing. */
export async function findInclusions(
  { endpoints, readCanonical, searched }: FindInclusions,
  address: Address,
  spent: readonly LiveNonce[],
  at: TrackedHead,
): Promise<ReadonlyMap<Nonce, Inclusion>> {
  const found = new Map<Nonce, Inclusion>()
  let open = spent
  for (const endpoint of endpoints.order(at.by)) {
    if (open.length === 0) return found
    if ((await endpoint.ready()) !== undefined) continue
    for (const [nonce, inclusion] of await readReceipts(endpoint, readCanonical, open, at)) found.set(nonce, inclusion)
    open = open.filter((live) => !found.has(live.nonce))
    if (open.length === 0) return found
    // Nothing of ours, as far as this endpoint knows. It may lag, so its word counts for what was spent some blocks ago.
    const since = at.head.number - provenAfterBlocks
    const settledBelow = since < 0 ? undefined : await readNonce(endpoint, address, since)
    if (settledBelow === undefined) continue
    const stale = open.filter((live) => live.nonce < settledBelow)
    if (stale.length === 0) return found
    // Side by side: a search is a dozen questions one after the other, and a step that takes many blocks comes too late.
    await Promise.all(
      stale.slice(0, proofsMax).map(async (live) => {
        const proof = await proveTaker(endpoint, address, live, since, searched)
        const canonical = proof && (await readCanonical([proof.block.number], at))
        if (proof && canonical?.get(proof.block.number) === proof.block.hash) found.set(live.nonce, proof)
      }),
    )
    open = stale.filter((live) => !found.has(live.nonce))
  }
  return found
}
