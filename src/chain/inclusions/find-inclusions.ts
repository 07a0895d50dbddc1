// Finds the spender of each spent nonce: one of our attempts, proven by its receipt, or a foreign transaction, proven
// by the block.
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce, LostNoOp } from '../../domain/observation.ts'
import { blocksOf, type Patience, type SpannedDepth } from '../../domain/patience.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import { claimOf } from '../../domain/witness.ts'
import type { Pace } from '../heads/measure-blocktime.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { readNonce } from '../nodes/read-nonce.ts'
import type { Witnesses } from './call-witnesses.ts'
import type { FindSpender } from './find-spender.ts'
import type { Located } from './locate-spending.ts'
import { proveSpender, searchOf } from './prove-spender.ts'
import { readReceipts } from './read-receipts.ts'
import { isComplete, lacksReceipt } from './receipt.ts'
import type { Unexplained } from './unexplained.ts'

export interface FindInclusions {
  readonly endpoints: Endpoints
  readonly readCanonical: ReadCanonical
  /** The lowest block that the search for a nonce has reached. The search resumes there at the next head. */
  readonly searched: Map<string, BlockNumber>
  readonly located: Located
  readonly unexplained: Unexplained
  readonly findSpender: FindSpender
  readonly witnesses: Pick<Witnesses, 'reported' | 'isRefuted'>
  readonly pace: Pick<Pace, 'measuredMs'>
}

/** A proof searches the chain, so a later step proves the other nonces. */
const proofsMax = 8
/** A node may index receipts after the block, so bodies are searched for a nonce that lower blocks show spent. Sooner would only cost calls. */
const searchedBelow: SpannedDepth = { depth: 2, spanMs: 4_000 }
/** A receipt holds more facts than the block, so the service waits for it. Not for ever: some nodes never have it. */
const receiptAwaited: Patience = { blocks: 32, ms: 60_000 }

interface FoundSpent {
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /** Our transactions that are not on record. They become inclusions once they are recorded. */
  readonly lostNoOps: ReadonlyMap<Nonce, LostNoOp>
}

/**
 * `spent` are live nonces below the account's nonce at `at`. A nonce without proof is missing from the result. `known`
 * are the inclusions that `at.by` has already returned.
 */
export async function findInclusions(
  parts: FindInclusions,
  address: Address,
  spent: readonly LiveNonce[],
  known: ReadonlyMap<Nonce, Inclusion>,
  at: TrackedHead,
): Promise<FoundSpent> {
  const { endpoints, readCanonical, unexplained } = parts
  const { number: head } = at.head
  const found = new Map(known)
  for (const each of known.values()) parts.witnesses.reported(at.by, each)
  const lostNoOps = new Map<Nonce, LostNoOp>()
  const due = spent.filter(({ nonce }) => found.has(nonce) || unexplained.isDue(address, nonce, head))
  const shown = await shownBefore(parts, address, due, at)
  const shownEarlier = new Set(shown.keys())
  // Only a denial by the node that reported the head counts: another may have lagged when it answered, and caught up
  // since.
  const [denied, undecided, goesOn] = [new Set<Nonce>(), new Set<Nonce>(), new Set<Nonce>()]
  let open = due
  for (const endpoint of endpoints.order(at.by)) {
    open = open.filter(({ nonce }) => !isComplete(found.get(nonce)) && !lostNoOps.has(nonce))
    if (open.length === 0) break
    if ((await endpoint.ready()) !== undefined) continue
    const unrequested = endpoint === at.by ? open.filter(({ nonce }) => !found.has(nonce)) : open
    const requested = unrequested.map((live) => onlyShown(live, shown.get(live.nonce)))
    const receipts = await readReceipts(endpoint, readCanonical, requested, at, shown)
    for (const [nonce, reported] of receipts.inclusions) {
      if (parts.witnesses.isRefuted(claimOf(reported))) continue
      found.set(nonce, mergeReports(found.get(nonce), reported))
      parts.witnesses.reported(endpoint, reported)
    }
    if (endpoint === at.by) {
      for (const nonce of receipts.denied) denied.add(nonce)
      // Again another receipt for a transaction that a block has shown before: this node has no receipt of it.
      for (const nonce of receipts.strayed) if (shownEarlier.has(nonce)) denied.add(nonce)
    }
    for (const nonce of receipts.undecided) undecided.add(nonce)
    const dark = open.filter(({ nonce }) => !found.has(nonce) && !shown.has(nonce))
    const stale = await spentForLong(endpoint, address, dark, parts, at)
    if (!stale) continue
    for (const { nonce, proof, noOp, isUnderWay } of await proveAll(parts, endpoint, address, stale, at)) {
      if (noOp) lostNoOps.set(nonce, noOp)
      else if (isUnderWay) goesOn.add(nonce)
      else if (proof && !parts.witnesses.isRefuted(claimOf(proof)))
        (lacksReceipt(proof) ? shown : found).set(nonce, proof)
    }
    // A nonce that was spent only just now waits for this endpoint's next block. No other endpoint is read for it.
    open = open.filter((live) => stale.includes(live) || !dark.includes(live))
  }
  for (const { nonce } of due) {
    const inBlock = shown.get(nonce)
    const mayLackReceipt = !found.has(nonce) && denied.has(nonce) && !undecided.has(nonce)
    if (inBlock && mayLackReceipt && unexplained.hasWaited(receiptAwaited, address, nonce, inBlock.block.number, head))
      found.set(nonce, inBlock)
    if (found.has(nonce) || lostNoOps.has(nonce)) unexplained.forget(address, nonce)
    else if (!goesOn.has(nonce)) unexplained.lookedFor(address, nonce, head, inBlock)
  }
  return { inclusions: found, lostNoOps }
}

/** The inclusions of attempts that a block showed earlier, if the block is still canonical. */
async function shownBefore(
  { readCanonical, unexplained, witnesses }: FindInclusions,
  address: Address,
  due: readonly LiveNonce[],
  at: TrackedHead,
): Promise<Map<Nonce, Inclusion>> {
  const shown = due.flatMap(({ nonce }) => {
    const inclusion = unexplained.shown(address, nonce)
    // An unrecorded transaction is no attempt, so receipts of attempts don't show it. Its search runs again.
    return inclusion?.by === 'attempt' && !witnesses.isRefuted(claimOf(inclusion)) ? [[nonce, inclusion] as const] : []
  })
  const canonical = await readCanonical(
    shown.map(([, { block }]) => block.number),
    at,
  )
  return new Map(shown.filter(([, { block }]) => canonical.get(block.number) === block.hash))
}

function onlyShown(live: LiveNonce, shown: Inclusion | undefined): LiveNonce {
  return shown ? { ...live, attempts: live.attempts.filter(({ hash }) => hash === shown.hash) } : live
}

/**
 * Merges the reports of two nodes about the same inclusion. If a reorganization came between them, the later one names the canonical
 * block, and nothing of the earlier one holds there: another base fee is another price.
 */
function mergeReports(known: Inclusion | undefined, reported: Inclusion): Inclusion {
  if (!known) return reported
  if (known.hash !== reported.hash) return known
  return known.block.hash === reported.block.hash ? { ...known, ...reported } : reported
}

/**
 * The nonces that were spent some blocks ago by the endpoint's own count, since it may lag. Some nodes keep only the latest state:
 * there, a nonce counts that an earlier search found spent. Undefined where the endpoint has no count.
 */
async function spentForLong(
  endpoint: Endpoint,
  address: Address,
  open: readonly LiveNonce[],
  { unexplained, pace }: Pick<FindInclusions, 'unexplained' | 'pace'>,
  { head }: TrackedHead,
): Promise<readonly LiveNonce[] | undefined> {
  const since = head.number - blocksOf(searchedBelow, pace.measuredMs())
  if (open.length === 0) return []
  if (since < 0) return undefined
  const settledBelow = await readNonce(endpoint, address, since)
  if (settledBelow !== undefined) return open.filter(({ nonce }) => nonce < settledBelow)
  const spentBelow = await readNonce(endpoint, address, head.number)
  if (spentBelow === undefined) return undefined
  const isOld = (nonce: Nonce) => (unexplained.since(address, nonce) ?? head.number) <= since
  return open.filter(({ nonce }) => nonce < spentBelow && isOld(nonce))
}

interface Proof {
  readonly nonce: Nonce
  /** Absent where there is no proof. */
  readonly proof?: Inclusion
  readonly noOp?: LostNoOp
  /** The search has advanced, and is unfinished. */
  readonly isUnderWay: boolean
}

/** Proves in parallel: one search takes several rounds of calls, and a step that takes many blocks comes too late. */
async function proveAll(
  { readCanonical, searched, located, findSpender, pace }: FindInclusions,
  endpoint: Endpoint,
  address: Address,
  stale: readonly LiveNonce[],
  at: TrackedHead,
): Promise<readonly Proof[]> {
  const proofs = stale.slice(0, proofsMax).map(async (live): Promise<Proof> => {
    const { nonce } = live
    const before = searched.get(searchOf(address, nonce))
    const spentBy = at.head.number - blocksOf(searchedBelow, pace.measuredMs())
    const proof = await proveSpender(endpoint, address, live, { spentBy, searched, located, findSpender }, at)
    const after = searched.get(searchOf(address, nonce))
    const canonical = proof && (await readCanonical([proof.block.number], at))
    const isProven = proof && canonical?.get(proof.block.number) === proof.block.hash
    const proven = !isProven ? {} : 'by' in proof ? { proof } : { noOp: proof }
    return { nonce, ...proven, isUnderWay: after !== undefined && after !== before }
  })
  const later = stale.slice(proofsMax).map(({ nonce }): Proof => ({ nonce, isUnderWay: true }))
  return [...(await Promise.all(proofs)), ...later]
}
