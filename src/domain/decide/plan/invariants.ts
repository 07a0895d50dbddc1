// The invariants of a relayer's work after every step, in production and in the simulator.
import { isNoOp, mayBeKnown } from '../../attempt.ts'
import { isApproved, isRecovered } from '../../four-eyes.ts'
import { type InPhase, isInPhase, type Lifecycle, payloadAttempts, type Transaction } from '../../transaction.ts'
import { isForWitness } from '../../witness.ts'
import type { Work } from './work.ts'

/** The rows that were found sound. A step keeps the rows that did not change, and looks at the others only. */
const sound = new WeakSet<Transaction>()

/** Each violation in words; empty if there is none. */
export function violations(work: Work): readonly string[] {
  const found: string[] = []
  const owners = new Map<number, string>()
  for (const transaction of work.open) {
    const { id, lifecycle } = transaction
    if (!('nonce' in lifecycle)) {
      found.push(`${id} is ${lifecycle.phase} among those with a nonce`)
      continue
    }
    const rival = owners.get(lifecycle.nonce)
    if (rival) found.push(`nonce ${lifecycle.nonce} belongs to ${rival} and to ${id}`)
    owners.set(lifecycle.nonce, id)
    if (sound.has(transaction)) continue
    const ofRow = violationsOf(transaction, lifecycle)
    if (ofRow.length > 0) found.push(...ofRow)
    else sound.add(transaction)
  }
  for (const { id, lifecycle } of work.held) {
    if (lifecycle.phase !== 'held') found.push(`${id} is ${lifecycle.phase} among those on hold`)
  }
  for (const transaction of work.queued) {
    const { id, lifecycle } = transaction
    if (lifecycle.phase !== 'queued') found.push(`${id} is ${lifecycle.phase} in the queue`)
    if (!isApproved(transaction)) found.push(`${id} is in the queue without the release of a second key`)
  }
  return found
}

function violationsOf(
  transaction: Transaction,
  { nonce, attempts }: Extract<Lifecycle, { nonce: number }>,
): readonly string[] {
  const { id } = transaction
  const found: string[] = []
  const strays = attempts.filter((attempt) => attempt.nonce !== nonce)
  if (strays.length > 0) found.push(`${id} holds nonce ${nonce} with attempts of another`)
  if (!transaction.cancellation && attempts.some(isNoOp)) found.push(`${id} has a no-op but no cancellation`)
  // A PUT that repeats the payload may be signed as the same bytes, of another revision.
  const hashes = new Set(attempts.map(({ hash, revision = 0 }) => `${revision} ${hash}`))
  if (hashes.size !== attempts.length) found.push(`${id} has the same attempt twice`)
  const carriesPayload = payloadAttempts(attempts).length > 0
  if (carriesPayload && !isApproved(transaction) && !isRecovered(transaction)) {
    found.push(`${id} has a nonce without the release of a second key`)
  }
  if (isInPhase(transaction, 'mined') && waitsTooSoon(transaction)) {
    found.push(`${id} was mined, and waits before it is confirmed`)
  }
  if (isInPhase(transaction, 'mined') && !provenByOurs(transaction.lifecycle)) {
    found.push(`${id} was mined by an attempt that it never recorded`)
  }
  return found
}

/** Whether a mined transaction waits without a confirmation. It may do so only for witnesses. */
function waitsTooSoon({ wait, lifecycle }: InPhase<'mined'>): boolean {
  return wait !== undefined && lifecycle.confirmedAt === undefined && !isForWitness(wait.condition)
}

function provenByOurs({
  inclusion,
  attempts,
}: Extract<Work['open'][number]['lifecycle'], { phase: 'mined' }>): boolean {
  if (inclusion.by !== 'attempt') return attempts.every(({ hash }) => hash !== inclusion.hash)
  return attempts.some((attempt) => attempt.hash === inclusion.hash && mayBeKnown(attempt))
}
