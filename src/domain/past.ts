// What a relayer did before its owner began, as far as the database may have lost it: a copy that was restored still has
// transactions in its queue that the lost part of its history may have sent. They get a nonce once every nonce that the
// record does not explain is finally spent and looked at. What spent one and carries the payload of one in the queue is
// that one.
import type { Attempt } from './attempt.ts'
import { explain } from './condition.ts'
import type { Decision } from './decision.ts'
import type { Fees } from './fees.ts'
import type { Hash } from './ids.ts'
import { type BlockRef, isInPhase, type Payload, type Transaction, tookTheNonce } from './transaction.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs } from './units.ts'
import type { Work } from './work.ts'

/** What an owner that has begun does not know yet; it is forgotten once it is known. */
export interface Past {
  /** Places in the relayer's order up to this one are older than the owner. */
  readonly through: number
  /** What the first look found: the first nonce that neither the chain nor a pool had, and the head. */
  readonly seen?: { readonly below: Nonce; readonly at: BlockNumber }
}

export interface PastInquiry {
  /** Every nonce below is spent, and explained. */
  readonly from: Nonce
  /** Where it was seen already; without it the pools are asked. */
  readonly below?: Nonce
  /** Nonces from there on that are explained by what is open on record. */
  readonly explained: ReadonlySet<Nonce>
  /** What was spent before is of no interest. */
  readonly since: TimestampMs
  /** How deep a block has to be for what it spent to be looked at. */
  readonly confirmations: number
}

export interface PastSeen {
  readonly below: Nonce
  /** Every nonce below is spent in a final block. Absent where that was not needed, or could not be read. */
  readonly finalBelow?: Nonce
  /** What spent the unexplained nonces since then, by nonce. Absent as long as one is not final, or not found yet. */
  readonly takers?: readonly Taker[]
  /** The search was broken off for its length, and goes on where it stopped. */
  readonly more?: boolean
}

/** What spent a nonce that the record does not explain. */
export interface Taker {
  readonly nonce: Nonce
  readonly hash: Hash
  readonly block: BlockRef
  readonly minedAt: TimestampMs
  /** Absent where it is of no kind that we sign. */
  readonly envelope?: SignedEnvelope
}

export interface SignedEnvelope
  extends Pick<Payload, 'to' | 'value' | 'data' | 'accessList'>,
    Pick<Attempt, 'raw' | 'signature'> {
  readonly fees: Fees
  readonly gasLimit: Gas
}

/** A transaction in the queue, and what executed it, on which of its payloads. */
export interface Found {
  readonly transaction: Transaction
  readonly taker: Taker
  readonly envelope: SignedEnvelope
  readonly revision: number
}

/** How far the machine's clock may be from the chain's. */
const clockMarginMs = 3_600_000

/** Of what is as old as the owner, or older, and may have been sent without this database knowing. */
function inDoubt({ past, queued, open }: Work): readonly Transaction[] {
  if (!past) return []
  const unproven = open.filter((each) => !isOursByRecord(each))
  return [...queued, ...unproven].filter(({ sequence }) => sequence <= past.through)
}

function isOursByRecord(transaction: Transaction): boolean {
  return isInPhase(transaction, 'mined') && tookTheNonce(transaction.lifecycle.inclusion) !== 'stranger'
}

/** What has to be asked; undefined when nothing is in doubt. */
export function inquireAboutPast(work: Work, confirmations: number): PastInquiry | undefined {
  const { past, floor } = work
  const doubted = inDoubt(work)
  if (!past || doubted.length === 0) return undefined
  return {
    from: floor.explainedBelow,
    ...(past.seen && { below: past.seen.below }),
    explained: new Set(explainedNonces(work, 0)),
    since: Math.min(...doubted.map(({ createdAt }) => createdAt)) - clockMarginMs,
    confirmations,
  }
}

/** Not by what fills a gap: that is what takes a nonce from what nobody knows. */
function explainedNonces({ past, open }: Work, spentBelow: Nonce): readonly Nonce[] {
  return open.flatMap((transaction) => {
    const { lifecycle, origin, sequence } = transaction
    if (!past || !('nonce' in lifecycle) || origin === 'gap' || sequence > past.through) return []
    const isUnspent = lifecycle.phase === 'inFlight' && lifecycle.nonce >= spentBelow
    return isUnspent || isOursByRecord(transaction) ? [lifecycle.nonce] : []
  })
}

export interface Look {
  /** What is not known yet; absent once all is. */
  readonly past?: Past
  /** Every nonce below is spent, and now explained. */
  readonly explainedBelow?: Nonce
  readonly decisions: readonly Decision[]
  /** Unspent nonces that wait in a pool for nobody knows what. */
  readonly unknown: readonly Nonce[]
  /** There is more to find out, and it needs no new block. */
  readonly again: boolean
}

/**
 * `asked` is what the inquiry was made of, and `work` what this step makes of it. `seen` is absent where it was not asked,
 * or where no node told its pool.
 */
export function lookBack(
  asked: Work,
  work: Work,
  seen: PastSeen | undefined,
  at: { nonce: Nonce; head: BlockNumber },
): Look {
  const nothing = { decisions: [], unknown: [], again: false }
  const { past } = work
  if (!past || inDoubt(work).length === 0) return nothing
  if (!seen) return { ...nothing, past }
  const explained = new Set(explainedNonces(work, at.nonce))
  const from = work.floor.explainedBelow
  const open: Nonce[] = []
  for (let nonce = from; nonce < seen.below; nonce += 1) if (!explained.has(nonce)) open.push(nonce)
  const last = open.at(-1)
  if (last === undefined) return nothing
  const { finalBelow, takers } = seen
  const waits: Look = {
    past: { ...past, seen: past.seen ?? { below: seen.below, at: at.head } },
    decisions: explainWait(work, open[0] ?? last, last),
    // A node that is behind what is settled calls spent nonces free.
    unknown: at.nonce < work.floor.spentBelow ? [] : open.filter((nonce) => nonce >= at.nonce),
    again: seen.more === true,
  }
  if (finalBelow === undefined || !takers || !work.found) return waits
  // What this step has shown not to be ours was not looked at yet.
  const unasked = new Set(explainedNonces(asked, 0))
  if (open.some((nonce) => unasked.has(nonce))) return { ...waits, again: false }
  // A nonce that is on record with another transaction is still to be given back by it.
  const held = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const recovered = work.found
    .filter(({ taker }) => !held.has(taker.nonce))
    .map((found): Decision => ({ do: 'recover', ...found }))
  if (recovered.length > 0) return { ...waits, decisions: recovered, again: true }
  if (work.found.length > 0) return { ...waits, again: false }
  return { ...nothing, explainedBelow: finalBelow }
}

function explainWait({ queued: [first], past }: Work, from: Nonce, to: Nonce): Decision[] {
  if (!first || (past && first.sequence > past.through)) return []
  const nonces = from === to ? `nonce ${from} was used` : `nonces from ${from} to ${to} were used`
  const reason = `waits: ${nonces} by transactions that this database does not hold, and once those are final it is looked whether this is among them: was it restored from an older copy?`
  return explain(first, 'history_unknown', reason)
}

/** Of the queue, which a taker carries: the oldest first, and each taker explains one. `queue` is in its order. */
export function findAmong(queue: readonly Transaction[], takers: readonly Taker[]): readonly Found[] {
  const found: Found[] = []
  const explained = new Set<string>()
  for (const taker of takers) {
    const { envelope } = taker
    if (!envelope) continue
    for (const transaction of queue) {
      if (explained.has(transaction.id) || transaction.createdAt > taker.minedAt + clockMarginMs) continue
      const payloads = [...(transaction.earlier ?? []), transaction.payload]
      const revision = payloads.findLastIndex((payload) => carries(envelope, payload))
      if (revision < 0) continue
      explained.add(transaction.id)
      found.push({ transaction, taker, envelope, revision })
      break
    }
  }
  return found
}

/** Whether it says the same. A list of what it touches changes nothing that is executed, but tells it from others. */
function carries(envelope: SignedEnvelope, { to, value, data, accessList }: Payload): boolean {
  return (
    envelope.to?.toLowerCase() === to?.toLowerCase() &&
    envelope.value === value &&
    envelope.data.toLowerCase() === data.toLowerCase() &&
    listed(envelope.accessList) === listed(accessList)
  )
}

function listed(accessList: Payload['accessList'] = []): string {
  return accessList
    .map(({ address, storageKeys }) => [address, ...storageKeys].join())
    .join(';')
    .toLowerCase()
}

export const recoveredReason =
  'sent by a part of its history that this database does not hold: was it restored from an older copy?'

/** The attempt as it would stand here, had the database not lost it. */
export function recoverAttempt({ transaction, taker, envelope, revision }: Found, now: TimestampMs): Attempt {
  const { raw, signature, fees, gasLimit } = envelope
  return {
    hash: taker.hash,
    transactionId: transaction.id,
    nonce: taker.nonce,
    kind: revision === 0 ? 'execute' : 'replace',
    ...(revision > 0 && { revision }),
    fees,
    gasLimit,
    raw,
    signature,
    recordedAt: now,
    // The head when it was sent is lost; the nonce was unspent below its block.
    recordedAtBlock: Math.max(0, taker.block.number - 1),
    handOver: { state: 'handed', outcome: { kind: 'unknown', message: recoveredReason }, at: now },
  }
}
