// What one endpoint shows of the spenders in a block: whether the block lists them, and with which results.
import { LRUCache } from 'lru-cache'
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BlockRef, Charge, Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { claimOf, needsReceipt, type WitnessClaim } from '../../domain/witness.ts'
import type { NamedBlock } from '../heads/read-tag.ts'
import { type NodeReply, valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Listing, readListing } from '../nodes/read-block.ts'
import { chargeOf, readReceipt } from './receipt.ts'
import { readReceiptsOfBlock } from './receipts-of-block.ts'

/**
 * `shown`: the block, with the spender and what the claim needs. `listed`: without a receipt or a result, which may come later.
 * `refuted`: another result. `unlisted`: the block without the spender. `elsewhere`: another block at this height. `silent`: no answer,
 * no such block yet, or none any more.
 */
export type View = 'shown' | 'listed' | 'refuted' | 'unlisted' | 'elsewhere' | 'silent'

export interface WitnessAnswer {
  readonly view: View
  /** The index of the endpoint that gave it. */
  readonly endpoint: number
  /** Absent where the endpoint is silent. */
  readonly answer?: ShownAnswer
  /** Absent where no receipt was read, or the endpoint has none. */
  readonly charge?: Charge
}

/** The basis of a view, for an operator. */
interface ShownAnswer {
  readonly block: BlockNumber
  readonly block_hash: Hash
  readonly lists_spender: boolean
  readonly succeeded: boolean | undefined
  /** The number of transactions in the block. */
  readonly transactions: number
  /** The hashes of some of them, of a block without the spender. */
  readonly first?: readonly Hash[]
}

export interface WitnessViews {
  /** Answers by the spender's hash. `claims` lie in the block. Never rejects. */
  of(
    endpoint: Endpoint,
    requested: RequestedBlock,
    claims: readonly WitnessClaim[],
  ): Promise<ReadonlyMap<Hash, WitnessAnswer>>
  /** The endpoint gave this in a receipt, so it is not read again. */
  reported(endpoint: Endpoint, inclusion: Inclusion): void
  /** Lets go of what receipts of this spender showed. */
  forget(spender: Hash): void
}

interface RequestedBlock {
  readonly block: BlockRef
  readonly head: Head
  /** A witness counts only if its own block of this tag is not below. */
  readonly tag: FinalityTag | undefined
  /** Endpoints contradicted each other about it, so nothing that was read before counts. */
  readonly isDoubted: boolean
}

/** The hashes kept: other relayers have transactions in the same block. */
const hashesKeptMax = 20_000
/** The spenders whose results are kept until witnesses have shown enough. */
const spendersKeptMax = 10_000

export function openWitnessViews(namedBlock: NamedBlock, witness: NetworkProfile['witness']): WitnessViews {
  const isSameBlock = (one: BlockRef, other: BlockRef) =>
    one.hash === other.hash || (witness === 'transaction' && one.number === other.number)
  const listings = new LRUCache<string, Listing>({
    maxSize: hashesKeptMax,
    sizeCalculation: ({ hashes }) => hashes.size + 1,
  })
  const underWay = new Map<string, Promise<Listing | undefined>>()
  const results = openResults()

  function listingOf(endpoint: Endpoint, { block, isDoubted }: RequestedBlock): Promise<Listing | undefined> {
    const key = `${endpoint.index} ${block.hash}`
    // Later readings have no use of it, either: what an endpoint showed before is no word of one that is silent since.
    if (isDoubted) listings.delete(key)
    const known = listings.get(key)
    if (known) return Promise.resolve(known)
    const reading = underWay.get(key) ?? read(endpoint, block, key).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }

  async function read(endpoint: Endpoint, block: BlockRef, key: string): Promise<Listing | undefined> {
    const listing = valueIn(await persist(() => readListing(endpoint, block.number)))
    // Another block at this height may be replaced: it is read again.
    if (listing?.hash === block.hash) listings.set(key, listing)
    return listing
  }

  async function isTagged(endpoint: Endpoint, { block, head, tag }: RequestedBlock): Promise<boolean> {
    if (!tag) return true
    const named = valueIn(await namedBlock(endpoint, tag, head))
    return named !== undefined && named.number >= block.number
  }

  async function readResults(
    endpoint: Endpoint,
    claims: readonly WitnessClaim[],
    { block, head, isDoubted }: RequestedBlock,
  ): Promise<ReadonlyMap<Hash, Result>> {
    if (isDoubted) for (const claim of claims) results.keep(endpoint, claim)
    const unread = claims.filter((claim) => !suffices(results.of(endpoint, claim), claim))
    const { number } = block
    const ofBlock = await readReceiptsOfBlock(endpoint, { number }, { wanted: unread.length, head: head.number })
    const receipts = await Promise.all(
      unread.map(async ({ hash }) => ofBlock?.get(hash) ?? valueIn(await persist(() => readReceipt(endpoint, hash)))),
    )
    for (const [index, claim] of unread.entries()) {
      const receipt = receipts[index]
      if (!receipt || !isSameBlock(receipt.block, claim.block)) continue
      results.keep(endpoint, claim, { succeeded: receipt.succeeded, charge: chargeOf(receipt) })
    }
    const known = claims.map((claim) => [claim, results.of(endpoint, claim)] as const)
    return new Map(known.flatMap(([claim, result]) => (suffices(result, claim) ? [[claim.hash, result]] : [])))
  }

  return {
    async of(endpoint, requested, claims) {
      const silence: WitnessAnswer = { view: 'silent', endpoint: endpoint.index }
      const shownAs = (view: (claim: WitnessClaim) => WitnessAnswer) =>
        new Map(claims.map((claim) => [claim.hash, view(claim)] as const))
      if (!endpoint.mayShow() || (await endpoint.ready()) !== undefined) return shownAs(() => silence)
      // In one request, so that a witness has to answer once only.
      const [listing, hasTag, found] = await Promise.all([
        listingOf(endpoint, requested),
        isTagged(endpoint, requested),
        readResults(endpoint, claims.filter(needsReceipt), requested),
      ])
      if (!listing) return shownAs(() => silence)
      const show = showing(listing, endpoint)
      const denial = listing.hash === requested.block.hash ? 'unlisted' : 'elsewhere'
      if (!isSameBlock(listing, requested.block)) return shownAs((claim) => show('elsewhere', claim, found))
      if (!hasTag) return shownAs(() => silence)
      return shownAs((claim) => show(listing.hashes.has(claim.hash) ? viewOf(claim, found) : denial, claim, found))
    },
    reported(endpoint, inclusion) {
      const claim = claimOf(inclusion)
      if (inclusion.by === 'external' || !needsReceipt(claim)) return
      results.keep(endpoint, claim, { succeeded: inclusion.succeeded, charge: chargeOf(inclusion) })
    },
    forget: results.forget,
  }
}

/** What a receipt shows. */
interface Result {
  /** The index of the endpoint that gave it. */
  readonly endpoint: number
  /** The block of the claim. */
  readonly block: Hash
  readonly succeeded: boolean | undefined
  readonly charge: Charge
}

function openResults() {
  // By spender, with the newest result of each endpoint.
  const bySpender = new LRUCache<Hash, readonly Result[]>({ max: spendersKeptMax })
  return {
    of: ({ index }: Endpoint, { hash, block }: WitnessClaim): Result | undefined =>
      bySpender.get(hash)?.find((each) => each.endpoint === index && each.block === block.hash),
    /** Without `shown`, only forgets what the endpoint showed. */
    keep({ index }: Endpoint, { hash, block }: WitnessClaim, shown?: Pick<Result, 'succeeded' | 'charge'>): void {
      const others = bySpender.get(hash)?.filter(({ endpoint }) => endpoint !== index) ?? []
      bySpender.set(hash, shown ? [...others, { ...shown, endpoint: index, block: block.hash }] : others)
    },
    forget: (spender: Hash) => void bySpender.delete(spender),
  }
}

/** A receipt without the result that the claim needs is read again. */
function suffices(result: Result | undefined, { succeeded }: WitnessClaim): result is Result {
  return result !== undefined && (succeeded === undefined || result.succeeded !== undefined)
}

/** The most hashes in an answer: more make none clearer. */
const hashesInAnswer = 12

/** The answers of one endpoint about one block. */
function showing({ number, hash: block, hashes }: Listing, { index: endpoint }: Endpoint) {
  const facts = { block: number, block_hash: block, transactions: hashes.size }
  return (view: View, { hash }: WitnessClaim, results: ReadonlyMap<Hash, Result>): WitnessAnswer => {
    const { succeeded, charge } = results.get(hash) ?? {}
    const isListed = hashes.has(hash)
    const first = isListed ? {} : { first: [...hashes].slice(0, hashesInAnswer) }
    return {
      view,
      endpoint,
      answer: { ...facts, lists_spender: isListed, succeeded, ...first },
      ...(charge && { charge }),
    }
  }
}

function viewOf(claim: WitnessClaim, results: ReadonlyMap<Hash, Result>): View {
  const result = results.get(claim.hash)
  if (needsReceipt(claim) && !result) return 'listed'
  return claim.succeeded === undefined || result?.succeeded === claim.succeeded ? 'shown' : 'refuted'
}

/** Repeats a read once where the answer was lost: not every such answer should cost a verdict seconds. */
async function persist<T>(read: () => Promise<NodeReply<T>>): Promise<NodeReply<T>> {
  const reply = await read()
  return 'value' in reply || reply.why !== 'noAnswer' ? reply : read()
}
