// Which block a tag stands for, given the reports of endpoints: pure. A tag never goes back on the same chain.
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'

export interface TaggedBlock {
  readonly number: BlockNumber
  readonly hash: Hash
}

/**
 * The highest of the reported blocks that is proven to lie on the chain of the head: the node that reports now may be
 * behind another. A node ahead of the head, or on a branch that was left, says nothing about the blocks below the head.
 *
 * `canonical` has the hashes at these heights, as far as they could be read.
 */
export function believeTag(
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
