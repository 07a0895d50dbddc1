// The hashes in the blocks between two heads, which come with the headers: they show without a call which of our transactions may be mined.
import type { Hash } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import type { Listing } from '../nodes/read-block.ts'

/** They are kept until the next head. A node may leave one out, or list a false one. */
export interface NewHashes {
  /** The head before. */
  readonly above: BlockNumber
  /** The hashes in each block from there up to the head. */
  readonly blocks: readonly ReadonlySet<Hash>[]
}

/** The hashes in blocks that one reading of the head has shown, by the block's hash. A block whose hashes the node does not list is missing. */
type Listings = ReadonlyMap<Hash, ReadonlySet<Hash>>

/** Undefined where the hashes of a block are unknown: a wide gap is crossed without its headers, and some gateways list none. */
export function newHashesOf(
  before: BlockNumber,
  head: BlockNumber,
  listings: Listings,
  hashAt: (number: BlockNumber) => Hash | undefined,
): NewHashes | undefined {
  const blocks: ReadonlySet<Hash>[] = []
  for (let number = before + 1; number <= head; number += 1) {
    const block = hashAt(number)
    const hashes = block && listings.get(block)
    if (!hashes) return undefined
    blocks.push(hashes)
  }
  return { above: before, blocks }
}

/** So many blocks are kept: a receipt is mostly read a block or two after its block. */
const listedMax = 8

/** The last blocks up to a head, lowest first, given those up to the head before. */
export function lastListed(
  before: readonly Listing[] = [],
  { above, blocks }: NewHashes = noHashes,
  hashAt: (number: BlockNumber) => Hash | undefined,
): readonly Listing[] {
  const news = blocks.flatMap((hashes, index) => {
    const number = above + 1 + index
    const hash = hashAt(number)
    return hash ? [{ number, hash, hashes }] : []
  })
  return [...before, ...news].slice(-listedMax)
}

/** The nonces up to the highest one whose hash is listed, which the others precede, each with its listed attempts if it has any. */
export function upToListed(live: readonly LiveNonce[], { blocks }: NewHashes = noHashes): readonly LiveNonce[] {
  const isListed = ({ hash }: LiveNonce['attempts'][number]) => blocks.some((hashes) => hashes.has(hash))
  const listed = new Map<Nonce, LiveNonce>()
  for (const one of live) {
    const attempts = one.attempts.filter(isListed)
    if (attempts.length > 0) listed.set(one.nonce, { ...one, attempts })
  }
  const highest = Math.max(-1, ...listed.keys())
  return live.filter(({ nonce }) => nonce <= highest).map((one) => listed.get(one.nonce) ?? one)
}

const noHashes: NewHashes = { above: 0, blocks: [] }
