// What one endpoint shows of the spenders in a block: whether the block lists them, and with which results.
import { LRUCache } from 'lru-cache'
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BlockRef } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { WitnessClaim } from '../../domain/witness.ts'
import type { NamedBlock } from '../heads/named-blocks.ts'
import { type NodeReply, valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Listing, readListing } from '../nodes/read-block.ts'
import { type Receipt, readReceipt } from './receipt.ts'
import { openReceiptsByBlock } from './receipts-by-block.ts'

/**
 * `shown`: the block, with the spender and the result of the claim. `listed`: without a result, which may come later.
 * `refuted`: another result. `unlisted`: the block without the spender. `elsewhere`: another block at this height. `silent`: no answer,
 * no such block yet, or none any more.
 */
export type View = 'shown' | 'listed' | 'refuted' | 'unlisted' | 'elsewhere' | 'silent'

export interface WitnessAnswer {
  readonly view: View
  /** Absent where the endpoint is silent. */
  readonly answer?: ShownAnswer
}

/** The basis of a view, for an operator. */
export interface ShownAnswer {
  readonly block: BlockNumber
  readonly block_hash: Hash
  readonly lists_spender: boolean
  readonly succeeded: boolean | undefined
  /** Their number in the block. */
  readonly transactions: number
  /** The hashes of some of them, of a block without the spender. */
  readonly first?: readonly Hash[]
}

export interface WitnessViews {
  /** By the spender's hash. `claims` lie in the block. Never rejects. */
  of(
    endpoint: Endpoint,
    requested: RequestedBlock,
    claims: readonly WitnessClaim[],
  ): Promise<ReadonlyMap<Hash, WitnessAnswer>>
  /** The endpoint gave the result in a receipt, so it is not read again. */
  reported(endpoint: Endpoint, claim: WitnessClaim): void
}

export interface RequestedBlock {
  readonly block: BlockRef
  readonly head: Head
  /** A witness counts only if its own block of this tag is not below. */
  readonly tag: FinalityTag | undefined
  /** Endpoints contradicted each other about it, so nothing that was read before counts. */
  readonly isDoubted: boolean
}

/** Other relayers have transactions in the same block. */
const hashesKeptMax = 20_000
const resultsKeptMax = 10_000

export function openWitnessViews(namedBlock: NamedBlock, witness: NetworkProfile['witness']): WitnessViews {
  const isSameBlock = (one: BlockRef, other: BlockRef) =>
    one.hash === other.hash || (witness === 'transaction' && one.number === other.number)
  const listings = new LRUCache<string, Listing>({
    maxSize: hashesKeptMax,
    sizeCalculation: ({ hashes }) => hashes.size + 1,
  })
  const underWay = new Map<string, Promise<Listing | undefined>>()
  const results = new LRUCache<string, boolean>({ max: resultsKeptMax })
  const readReceipts = readingReceipts()

  function listingOf(endpoint: Endpoint, { block, isDoubted }: RequestedBlock): Promise<Listing | undefined> {
    const key = `${endpoint.index} ${block.hash}`
    const known = isDoubted ? undefined : listings.get(key)
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
    isDoubted: boolean,
  ): Promise<ReadonlyMap<Hash, boolean>> {
    if (isDoubted) for (const claim of claims) results.delete(keyOf(endpoint, claim))
    const unread = claims.filter((claim) => !results.has(keyOf(endpoint, claim)))
    const receipts = await readReceipts(endpoint, unread)
    for (const [index, claim] of unread.entries()) {
      const receipt = receipts[index]
      if (!receipt || !isSameBlock(receipt.block, claim.block) || receipt.succeeded === undefined) continue
      results.set(keyOf(endpoint, claim), receipt.succeeded)
    }
    return new Map(
      claims.flatMap((claim) => {
        const result = results.get(keyOf(endpoint, claim))
        return result === undefined ? [] : [[claim.hash, result]]
      }),
    )
  }

  return {
    async of(endpoint, requested, claims) {
      const shownAs = (view: (claim: WitnessClaim) => WitnessAnswer) =>
        new Map(claims.map((claim) => [claim.hash, view(claim)] as const))
      if (!endpoint.mayShow() || (await endpoint.ready()) !== undefined) return shownAs(() => silence)
      const withResult = claims.filter(({ succeeded }) => succeeded !== undefined)
      // In one request, so that a witness has to answer once only.
      const [listing, hasTag, found] = await Promise.all([
        listingOf(endpoint, requested),
        isTagged(endpoint, requested),
        readResults(endpoint, withResult, requested.isDoubted),
      ])
      if (!listing) return shownAs(() => silence)
      const denial = listing.hash === requested.block.hash ? 'unlisted' : 'elsewhere'
      if (!isSameBlock(listing, requested.block)) return shownAs((claim) => shown('elsewhere', listing, claim, found))
      if (!hasTag) return shownAs(() => silence)
      return shownAs((claim) => {
        const view = listing.hashes.has(claim.hash) ? viewOf(claim, found) : denial
        return shown(view, listing, claim, found)
      })
    },
    reported(endpoint, claim) {
      if (claim.succeeded !== undefined) results.set(keyOf(endpoint, claim), claim.succeeded)
    },
  }
}

const silence: WitnessAnswer = { view: 'silent' }

/** More hashes than these make no answer clearer. */
const hashesInAnswer = 12

function shown(
  view: View,
  listing: Listing,
  { hash }: WitnessClaim,
  results: ReadonlyMap<Hash, boolean>,
): WitnessAnswer {
  const { number, hashes } = listing
  const lists = hashes.has(hash)
  const facts = { block: number, block_hash: listing.hash, lists_spender: lists, succeeded: results.get(hash) }
  const inAll = { ...facts, transactions: hashes.size }
  return { view, answer: lists ? inAll : { ...inAll, first: [...hashes].slice(0, hashesInAnswer) } }
}

function viewOf({ hash, succeeded }: WitnessClaim, results: ReadonlyMap<Hash, boolean>): View {
  if (succeeded === undefined) return 'shown'
  const result = results.get(hash)
  if (result === undefined) return 'listed'
  return result === succeeded ? 'shown' : 'refuted'
}

function readingReceipts() {
  const receiptsByBlock = openReceiptsByBlock()
  return async (endpoint: Endpoint, claims: readonly WitnessClaim[]): Promise<readonly (Receipt | undefined)[]> => {
    const inBlock = await receiptsByBlock(endpoint, claims)
    if (!inBlock) {
      return Promise.all(claims.map(async ({ hash }) => valueIn(await persist(() => readReceipt(endpoint, hash)))))
    }
    const byHash = new Map(inBlock.flatMap((receipt) => (receipt ? [[receipt.hash, receipt]] : [])))
    return claims.map(({ hash }) => byHash.get(hash))
  }
}

/** Not every lost answer should cost a verdict seconds, so it is requested once more. */
async function persist<T>(read: () => Promise<NodeReply<T>>): Promise<NodeReply<T>> {
  const reply = await read()
  return 'value' in reply || reply.why !== 'noAnswer' ? reply : read()
}

function keyOf({ index }: Endpoint, { hash, block }: WitnessClaim): string {
  return `${index} ${hash} ${block.hash}`
}
