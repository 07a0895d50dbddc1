// Receipts of our attempts, as far as one node has them: the proof that a nonce was taken by one of them.
import type { LiveNonce } from '../domain/observation.ts'
import type { Inclusion } from '../domain/transaction.ts'
import type { Nonce } from '../domain/units.ts'
import type { Endpoint } from './endpoint.ts'
import type { ReadCanonical } from './read-canonical.ts'
import { executionOf, type Receipt, toReceipt } from './receipt.ts'
import type { TrackedHead } from './track-head.ts'

/** By nonce, what one of our attempts took: its receipt names a block that is canonical at `at`. */
export async function readReceipts(
  endpoint: Endpoint,
  readCanonical: ReadCanonical,
  open: readonly LiveNonce[],
  at: TrackedHead,
): Promise<ReadonlyMap<Nonce, Inclusion>> {
  const attempts = open.flatMap(({ nonce, attempts }) => attempts.map((attempt) => ({ ...attempt, nonce })))
  const answers = await Promise.all(
    attempts.map(({ hash }) => endpoint.call({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const receipts = answers.map((answer) => (answer.kind === 'value' ? toReceipt(answer.value) : undefined))
  const canonical = await readCanonical(receipts.filter((receipt) => receipt !== undefined).map(blockNumberOf), at)
  const found = new Map<Nonce, Inclusion>()
  for (const [index, attempt] of attempts.entries()) {
    const receipt = receipts[index]
    // A receipt from above the head, or from a block that a reorg replaced, is no evidence (yet).
    if (!receipt || canonical.get(receipt.block.number) !== receipt.block.hash) continue
    const { nonce, hash, kind } = attempt
    const execution = await executionOf(endpoint, receipt, attempt, at)
    found.set(nonce, { by: 'attempt', hash, kind, block: receipt.block, ...execution })
  }
  return found
}

function blockNumberOf(receipt: Receipt): number {
  return receipt.block.number
}
