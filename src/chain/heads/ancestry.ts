// The last canonical blocks, height by height. Each is proven to be the parent of the next, but for wide gaps between two heads.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'

/** Far deeper than any reorg that a network has seen and kept. */
const blocksKept = 256
/**
 * A wider gap is crossed, not walked. On a fast chain behind a gateway that takes no batches, each header is a request: the
 * slowest answer of many comes when the chain has made as many blocks again.
 */
const walkedGapMax = 16
/** A deeper reorganization is not followed to its root. */
const walkBlocksMax = 64
const reorgStepBlocks = 8

/** Headers at these heights, in their order, from one node. */
export type ReadHeaders = (numbers: readonly BlockNumber[]) => Promise<readonly (Head | undefined)[]>

export interface Advance {
  /** False: nothing shows that what was known lies below the head, so all of that is forgotten. */
  readonly linked: boolean
  /** Blocks that were known, and are proven to be no longer canonical. */
  readonly lost: number
}

export interface Ancestry {
  hashAt(number: BlockNumber): Hash | undefined
  /** Makes `head` the tip, reading what links it to the one before. */
  advance(head: Head, read: ReadHeaders): Promise<Advance>
}

export function openAncestry(): Ancestry {
  let hashes = new Map<BlockNumber, Hash>()
  let tip: BlockNumber | undefined

  function joins(block: Head): boolean {
    return hashes.get(block.number - 1) === block.parentHash
  }

  /** From `head` down to the first block whose parent is known; undefined where they don't meet. */
  async function branch(head: Head, read: ReadHeaders): Promise<readonly Head[] | undefined> {
    if (tip === undefined) return undefined
    const blocks = [head]
    let lowest = head
    while (!joins(lowest)) {
      const from = lowest.number - 1
      const want = from > tip ? from - tip : reorgStepBlocks
      const count = Math.min(want, from + 1, walkBlocksMax - blocks.length)
      if (count <= 0) return undefined
      for (const header of await read(Array.from({ length: count }, (_, index) => from - index))) {
        if (!header || header.hash !== lowest.parentHash) return undefined
        blocks.push(header)
        lowest = header
        if (joins(lowest)) break
      }
    }
    return blocks
  }

  /**
   * Whether what was known is canonical below `head`, too: the node that has the head shows the old tip. The node reported the
   * head before this question, so a node that has left the old branch shows the new one. One that lost the head shows that.
   */
  async function isBelow(head: Head, read: ReadHeaders, from: BlockNumber): Promise<boolean> {
    if (head.number - from > blocksKept) return false
    const [top, bottom] = await read([head.number, from])
    return top?.hash === head.hash && bottom !== undefined && bottom.hash === hashes.get(from)
  }

  async function reach(head: Head, read: ReadHeaders): Promise<readonly Head[] | undefined> {
    if (tip === undefined || head.number - tip <= walkedGapMax) return branch(head, read)
    return (await isBelow(head, read, tip)) ? [head] : undefined
  }

  return {
    hashAt: (number) => hashes.get(number),
    async advance(head, read) {
      const blocks = await reach(head, read)
      const kept = head.number - blocksKept
      tip = head.number
      if (!blocks) {
        const linked = hashes.size === 0
        hashes = new Map([[head.number, head.hash]])
        return { linked, lost: 0 }
      }
      const lowest = blocks.at(-1)?.number ?? head.number
      const before = [...hashes].filter(([number]) => number > kept)
      hashes = new Map(before.filter(([number]) => number < lowest))
      for (const block of blocks) hashes.set(block.number, block.hash)
      return { linked: true, lost: before.filter(([number, hash]) => hashes.get(number) !== hash).length }
    },
  }
}
