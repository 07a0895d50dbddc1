// Keeps the last canonical blocks by height. Each is proven to be the parent of the next, except across wide gaps
// between two heads.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import { blocksOf, type SpannedDepth } from '../../domain/patience.ts'
import type { BlockNumber } from '../../domain/units.ts'

/** The blocks kept, far more than any reorganization that a network has kept. */
const kept: SpannedDepth = { depth: 256, spanMs: 240_000 }
/**
 * A wider gap is crossed without reading each header. On a fast chain behind a gateway that refuses batches, each
 * header is a request, and the slowest answer comes when the chain has made as many blocks again.
 */
export const walkedGapMax = 16
/** A deeper reorganization is not followed to its root. */
const walked: SpannedDepth = { depth: 64, spanMs: 120_000 }
const reorgStepBlocks = 8

/** Headers at these heights, in their order, from one node. */
export type ReadHeaders = (numbers: readonly BlockNumber[]) => Promise<readonly (Head | undefined)[]>

export interface Advance {
  /** The head is the tip now. False where it does not link to the remembered blocks, and the node is not of this chain. */
  readonly isTip: boolean
  /** False when no header links the remembered blocks to the head: then all of them are forgotten. */
  readonly linked: boolean
  /** How many remembered blocks are proven to be no longer canonical. */
  readonly lost: number
}

export interface Ancestry {
  hashAt(number: BlockNumber): Hash | undefined
  /**
   * Makes `head` the tip. Reads the headers that link it to the tip before. Where none do, as for the first head,
   * `isOfChain` decides: a node may serve another chain by now. `early`: headers that were read together with the head. They need not
   * be of its branch, so one counts only by its hash.
   */
  advance(head: Head, read: ReadHeaders, isOfChain: () => Promise<boolean>, early?: readonly Head[]): Promise<Advance>
  /** Whether the head is a remembered block, or its parent is: proven without a call. */
  holds(head: Head): boolean
}

export function openAncestry(measuredMs: () => number | undefined): Ancestry {
  let hashes = new Map<BlockNumber, Hash>()
  let tip: BlockNumber | undefined

  function joins(block: Head): boolean {
    return hashes.get(block.number - 1) === block.parentHash
  }

  /** The blocks from `head` down to the first one whose parent is remembered. Undefined where they don't meet. */
  async function branch(head: Head, read: ReadHeaders, early: readonly Head[]): Promise<readonly Head[] | undefined> {
    if (tip === undefined) return undefined
    const walkedMax = blocksOf(walked, measuredMs())
    const blocks = [head]
    let lowest = head
    while (!joins(lowest)) {
      const { number, parentHash } = lowest
      const parent = early.find((each) => each.hash === parentHash && each.number === number - 1)
      if (parent) {
        blocks.push(parent)
        lowest = parent
        continue
      }
      const from = lowest.number - 1
      const want = from > tip ? from - tip : Math.max(reorgStepBlocks, blocks.length)
      const count = Math.min(want, from + 1, walkedMax - blocks.length)
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
   * Whether the node that has the head shows the old tip below it. The node reported the head before this read, so a
   * node that has left the old branch shows the new one, and a node that has lost the head shows that.
   */
  async function isBelow(head: Head, read: ReadHeaders, from: BlockNumber): Promise<boolean> {
    if (head.number - from > blocksOf(kept, measuredMs())) return false
    const [top, bottom] = await read([head.number, from])
    return top?.hash === head.hash && bottom !== undefined && bottom.hash === hashes.get(from)
  }

  async function reach(head: Head, read: ReadHeaders, early: readonly Head[]): Promise<readonly Head[] | undefined> {
    if (tip === undefined || head.number - tip <= walkedGapMax) return branch(head, read, early)
    return (await isBelow(head, read, tip)) ? [head] : undefined
  }

  return {
    hashAt: (number) => hashes.get(number),
    holds: (head) => hashes.get(head.number) === head.hash || joins(head),
    async advance(head, read, isOfChain, early = []) {
      const blocks = await reach(head, read, early)
      if (!blocks && !(await isOfChain())) return { isTip: false, linked: false, lost: 0 }
      const above = head.number - blocksOf(kept, measuredMs())
      tip = head.number
      if (!blocks) {
        const linked = hashes.size === 0
        hashes = new Map([[head.number, head.hash]])
        return { isTip: true, linked, lost: 0 }
      }
      const lowest = blocks.at(-1)?.number ?? head.number
      const before = [...hashes].filter(([number]) => number > above)
      hashes = new Map(before.filter(([number]) => number < lowest))
      for (const block of blocks) hashes.set(block.number, block.hash)
      return { isTip: true, linked: true, lost: before.filter(([number, hash]) => hashes.get(number) !== hash).length }
    },
  }
}
