// What one endpoint shows of the spenders in a block: whether the block lists them, and with which results. A listing and a result
// are read once.
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { BlockRef } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { WitnessClaim } from '../../domain/witness.ts'
import { type NodeReply, valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Listing, readListing, readNamed } from '../nodes/read-block.ts'
import { type Receipt, readReceipt, receiptAwaitedBlocks } from './receipt.ts'
import { openReceiptsByBlock } from './receipts-by-block.ts'

/** `elsewhere`: another block at this height. `silent`: no answer, no such block yet, or none any more. */
export type View = 'shown' | 'refuted' | 'elsewhere' | 'silent'

export interface WitnessViews {
  /** By the spender's hash. `claims` lie in the block. Never rejects. */
  of(endpoint: Endpoint, requested: RequestedBlock, claims: readonly WitnessClaim[]): Promise<ReadonlyMap<Hash, View>>
  /** The endpoints contradict each other: all are read anew the next time. */
  forget(claim: WitnessClaim): void
  /** The endpoint gave the result in a receipt, so it is not read again. */
  reported(endpoint: Endpoint, claim: WitnessClaim): void
}

export interface RequestedBlock {
  readonly block: BlockRef
  /** Of the head. */
  readonly height: BlockNumber
  /** A witness counts only if its own block of this tag is not below. */
  readonly tag: FinalityTag | undefined
}

/** `unsaid`: the receipt does not say it, or a node that has had time enough has none. */
type Result = boolean | 'unsaid'

const listingsMax = 64
const resultsMax = 16_384

export function openWitnessViews(): WitnessViews {
  const listings = new Map<string, Listing>()
  const results = openResults()
  const tagged = new Map<number, BlockNumber>()

  async function listingOf(endpoint: Endpoint, block: BlockRef): Promise<Listing | undefined> {
    const key = `${endpoint.index} ${block.hash}`
    const known = listings.get(key)
    if (known) return known
    const listing = valueIn(await readListing(endpoint, block.number))
    // Another block at this height may be replaced: it is read again.
    if (listing?.hash === block.hash) keep(listings, key, listing, listingsMax)
    return listing
  }

  async function isTagged(endpoint: Endpoint, number: BlockNumber, tag: FinalityTag): Promise<boolean> {
    if ((tagged.get(endpoint.index) ?? -1) >= number) return true
    const block = valueIn(await readNamed(endpoint, tag))
    if (block) tagged.set(endpoint.index, Math.max(block.number, tagged.get(endpoint.index) ?? -1))
    return block !== undefined && block.number >= number
  }

  return {
    async of(endpoint, { block, height, tag }, claims) {
      const all = (view: View) => new Map(claims.map(({ hash }) => [hash, view] as const))
      if (!endpoint.fit() || (await endpoint.ready()) !== undefined) return all('silent')
      const listing = await listingOf(endpoint, block)
      if (!listing) return all('silent')
      if (listing.hash !== block.hash) return all('elsewhere')
      if (tag && !(await isTagged(endpoint, block.number, tag))) return all('silent')
      const listed = claims.filter(({ hash }) => listing.hashes.has(hash))
      const isLate = height - block.number >= receiptAwaitedBlocks
      const found = await results.read(
        endpoint,
        listed.filter(({ succeeded }) => succeeded !== undefined),
        isLate,
      )
      return new Map(claims.map((each) => [each.hash, listed.includes(each) ? viewOf(each, found) : 'refuted']))
    },
    forget({ hash, block }) {
      for (const key of listings.keys()) if (key.endsWith(` ${block.hash}`)) listings.delete(key)
      results.forget(hash)
    },
    reported: results.reported,
  }
}

/** Some nodes never say a result. Their listing counts all the same. */
function viewOf({ hash, succeeded }: WitnessClaim, results: ReadonlyMap<Hash, Result>): View {
  if (succeeded === undefined) return 'shown'
  const result = results.get(hash)
  if (result === undefined) return 'silent'
  return result === 'unsaid' || result === succeeded ? 'shown' : 'refuted'
}

function openResults() {
  const known = new Map<string, Result>()
  const receiptsByBlock = openReceiptsByBlock()
  const keyOf = ({ index }: Endpoint, hash: Hash) => `${index} ${hash}`

  async function readReplies(
    endpoint: Endpoint,
    claims: readonly WitnessClaim[],
  ): Promise<readonly NodeReply<Receipt>[]> {
    const inBlock = await receiptsByBlock(endpoint, claims)
    if (!inBlock) return Promise.all(claims.map(({ hash }) => readReceipt(endpoint, hash)))
    const byHash = new Map(inBlock.flatMap((receipt) => (receipt ? [[receipt.hash, receipt]] : [])))
    return claims.map(({ hash }): NodeReply<Receipt> => {
      const receipt = byHash.get(hash)
      return receipt ? { value: receipt } : { failed: 'the block has no such receipt', why: 'none' }
    })
  }

  return {
    /** Without those about which the endpoint says nothing now. `isLate`: a receipt that is not there never comes. */
    async read(
      endpoint: Endpoint,
      claims: readonly WitnessClaim[],
      isLate: boolean,
    ): Promise<ReadonlyMap<Hash, Result>> {
      const unread = claims.filter(({ hash }) => !known.has(keyOf(endpoint, hash)))
      const replies = await readReplies(endpoint, unread)
      for (const [index, { hash, block }] of unread.entries()) {
        const reply = replies[index]
        const result = reply && resultIn(reply, block, isLate)
        if (result !== undefined) keep(known, keyOf(endpoint, hash), result, resultsMax)
      }
      return new Map(
        claims.flatMap(({ hash }) => {
          const result = known.get(keyOf(endpoint, hash))
          return result === undefined ? [] : [[hash, result]]
        }),
      )
    },
    forget(hash: Hash): void {
      for (const key of known.keys()) if (key.endsWith(` ${hash}`)) known.delete(key)
    },
    reported(endpoint: Endpoint, { hash, succeeded }: WitnessClaim): void {
      if (succeeded !== undefined) keep(known, keyOf(endpoint, hash), succeeded, resultsMax)
    },
  }
}

/** Undefined for a receipt of another block, and where none has come yet. */
function resultIn(reply: NodeReply<Receipt>, block: BlockRef, isLate: boolean): Result | undefined {
  if (!('value' in reply)) return reply.why === 'none' && isLate ? 'unsaid' : undefined
  return reply.value.block.hash === block.hash ? (reply.value.succeeded ?? 'unsaid') : undefined
}

/** The oldest leaves first. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}
