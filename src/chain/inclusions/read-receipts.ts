// Reads the receipts of our attempts from one node. A receipt proves that its attempt used the nonce.
import type { LiveNonce } from '../../domain/observation.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { isAnswered } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { executionOf, type Receipt, toReceipt } from './receipt.ts'

export interface Receipts {
  /** By nonce, the attempt that used it: its receipt names a block that is canonical at the head. */
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /** The node says that no attempt with this nonce has a receipt. */
  readonly denied: ReadonlySet<Nonce>
  /** The node has a receipt that proves nothing yet. */
  readonly undecided: ReadonlySet<Nonce>
}

export async function readReceipts(
  endpoint: Endpoint,
  readCanonical: ReadCanonical,
  open: readonly LiveNonce[],
  at: TrackedHead,
): Promise<Receipts> {
  const attempts = open.flatMap(({ nonce, attempts }) => attempts.map((attempt) => ({ ...attempt, nonce })))
  const answers = await Promise.all(
    attempts.map(({ hash }) => endpoint.call({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const receipts = answers.map((answer) => (answer.kind === 'value' ? toReceipt(answer.value) : undefined))
  const canonical = await readCanonical(receipts.filter((receipt) => receipt !== undefined).map(blockNumberOf), at)
  const inclusions = new Map<Nonce, Inclusion>()
  const undecided = new Set<Nonce>()
  const silent = new Set<Nonce>()
  for (const [index, attempt] of attempts.entries()) {
    const receipt = receipts[index]
    const { nonce, hash, kind } = attempt
    if (receipt) undecided.add(nonce)
    else if (!isAnswered(answers[index])) silent.add(nonce)
    // A receipt from above the head, or from a block that a reorganization replaced, proves nothing (yet).
    if (!receipt || canonical.get(receipt.block.number) !== receipt.block.hash) continue
    const execution = await executionOf(endpoint, receipt, attempt, at)
    if (execution) inclusions.set(nonce, { by: 'attempt', hash, kind, block: receipt.block, ...execution })
  }
  const denied = open.map(({ nonce }) => nonce).filter((nonce) => !undecided.has(nonce) && !silent.has(nonce))
  return { inclusions, denied: new Set(denied), undecided }
}

function blockNumberOf(receipt: Receipt): number {
  return receipt.block.number
}
