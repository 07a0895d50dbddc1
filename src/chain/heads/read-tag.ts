// Reads the block that a tag names: as one endpoint names it, and as it is believed at a head, once for all relayers of the network.
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { NodeReply } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readNamed } from '../nodes/read-block.ts'
import { answering, type Beside } from './beside-head.ts'
import type { ReadCanonical } from './read-canonical.ts'
import { type HeadTracker, type TrackedHead, watchChain } from './track-head.ts'

/** The block that a tag names at one endpoint, read once a head. Never rejects. */
export type NamedBlock = (endpoint: Endpoint, tag: FinalityTag, at: Head, beside?: Beside) => Promise<NodeReply<Head>>

interface Reading {
  readonly head: Hash
  readonly at: number
  readonly reply: Promise<NodeReply<Head>>
}

/** A head that stays is read for again after `rereadMs`. */
export function namingBlocks(clock: Clock, rereadMs: number): NamedBlock {
  const readings = new Map<string, Reading>()
  return (endpoint, tag, { hash }, beside) => {
    const key = `${endpoint.index} ${tag}`
    const known = readings.get(key)
    if (known?.head === hash && clock.elapsed() - known.at < rereadMs) return known.reply
    const reading = {
      head: hash,
      at: clock.elapsed(),
      reply: readNamed(answering(endpoint, beside), tag),
    }
    readings.set(key, reading)
    return reading.reply
  }
}

/** Undefined where no node reports a block of the head's chain. Never rejects. */
export type ReadTag = (tag: FinalityTag, at: TrackedHead) => Promise<BlockNumber | undefined>

interface ReadTagOptions {
  readonly endpoints: Endpoints
  readonly heads: Pick<HeadTracker, 'hashAt' | 'reorgs'>
  readonly readCanonical: ReadCanonical
  readonly namedBlock: NamedBlock
  readonly clock: Clock
  /** A head that stays is read for again after this time. */
  readonly rereadMs: number
}

/** Enough for every endpoint of one reading or two. */
const earlyMax = 16

interface TagReading {
  readonly head: Hash
  readonly at: number
  readonly answer: Promise<BlockNumber | undefined>
}

export function readingTags({ endpoints, heads, readCanonical, namedBlock, clock, rereadMs }: ReadTagOptions): ReadTag {
  const readings = new Map<FinalityTag, TagReading>()
  const believed = new Map<FinalityTag, TaggedBlock>()
  /** Reported above the head of that time: on a fast chain an answer may be newer than the head. A later head proves it. */
  const early = new Map<FinalityTag, readonly TaggedBlock[]>()

  async function read(tag: FinalityTag, at: TrackedHead): Promise<BlockNumber | undefined> {
    const isSameChain = watchChain(heads, at)
    const waiting = early.get(tag) ?? []
    const due = waiting.filter(({ number }) => number <= at.head.number)
    early.set(
      tag,
      waiting.filter((each) => !due.includes(each)),
    )
    const reported = await endpoints.firstAnswer((each) => report(each, tag, at), at.by).catch(() => undefined)
    const block = await believe([believed.get(tag), ...due, reported?.value], at)
    if (block) believed.set(tag, block)
    // After a reorganization that came in between, the block may lie on another branch than this head.
    return isSameChain() ? block?.number : undefined
  }

  /** Many nodes do not have a tag, or not yet: the next endpoint may. */
  async function report(endpoint: Endpoint, tag: FinalityTag, at: TrackedHead): Promise<ReadResult<TaggedBlock>> {
    const reply = await namedBlock(endpoint, tag, at.head, at.beside)
    if (!('value' in reply)) return reply
    const block = reply.value
    if (block.number > at.head.number) {
      early.set(tag, [...(early.get(tag) ?? []), block].slice(-earlyMax))
      return { failed: `its ${tag} block is newer than the head` }
    }
    const isProven = (await believe([block], at)) !== undefined
    return isProven ? { value: block } : { failed: `its ${tag} block is not on the chain of the head` }
  }

  async function believe(blocks: readonly (TaggedBlock | undefined)[], at: TrackedHead) {
    const known = blocks.filter((block) => block !== undefined)
    const canonical = await readCanonical(
      known.map(({ number }) => number),
      at,
    )
    return believeTag(known, at.head.number, canonical)
  }

  return (tag, at) => {
    const known = readings.get(tag)
    if (known && known.head === at.head.hash && clock.elapsed() - known.at < rereadMs) return known.answer
    const reading: TagReading = { head: at.head.hash, at: clock.elapsed(), answer: read(tag, at) }
    readings.set(tag, reading)
    return reading.answer
  }
}

interface TaggedBlock {
  readonly number: BlockNumber
  readonly hash: Hash
}

/**
 * The block that a tag stands for, given the reports of endpoints: pure. A tag never goes back on the same chain.
 *
 * The highest of the reported blocks that is proven to lie on the chain of the head: the node that reports now may be
 * behind another. A node ahead of the head, or on a branch that was left, says nothing about the blocks below the head.
 *
 * `canonical` has the hashes at these heights, as far as they could be read.
 */
function believeTag(
  reported: readonly TaggedBlock[],
  head: BlockNumber,
  canonical: ReadonlyMap<BlockNumber, Hash>,
): TaggedBlock | undefined {
  const proven = reported.filter(({ number, hash }) => number <= head && canonical.get(number) === hash)
  return proven.reduce<TaggedBlock | undefined>(
    (best, each) => (best && best.number >= each.number ? best : each),
    undefined,
  )
}
