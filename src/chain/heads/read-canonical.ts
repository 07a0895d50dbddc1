// Finds the canonical hash at a height: among the blocks linked to the head, or from a node, once, for deeper blocks.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readHeader } from '../nodes/read-block.ts'
import type { HeadTracker, TrackedHead } from './track-head.ts'

/** A block that could not be read, or that lies above the head, is missing. */
export type ReadCanonical = (numbers: Iterable<BlockNumber>, at: TrackedHead) => Promise<ReadonlyMap<BlockNumber, Hash>>

/** Half an hour of blocks, at eight in a second: a rollup's last ones wait that long for finality. */
const deepKept = 16_384

export function readingCanonical(endpoints: Endpoints, heads: HeadTracker): ReadCanonical {
  let deep = new Map<BlockNumber, Hash>()
  let deepAsOf = 0

  /**
   * A node that fell behind a reorganization still returns its old branch, so its block counts only if it has the head,
   * too.
   */
  async function readBlock(endpoint: Endpoint, number: BlockNumber, { head }: TrackedHead): Promise<ReadResult<Head>> {
    // One after the other: a node that catches up in between would return the old branch's block first and then the
    // head.
    const tip = valueIn(await readHeader(endpoint, head.number))
    if (tip?.hash !== head.hash) return { failed: 'it does not have the head' }
    return readHeader(endpoint, number)
  }

  async function readDeep(numbers: readonly BlockNumber[], at: TrackedHead): Promise<void> {
    const asOf = heads.reorgs()
    const answers = await Promise.all(
      numbers.map((number) =>
        endpoints.firstAnswer((endpoint) => readBlock(endpoint, number, at), at.by).catch(() => undefined),
      ),
    )
    // The head may have been reorganized away since the read began. Then the blocks belong to another branch.
    if (heads.reorgs() !== asOf || heads.hashAt(at.head.number) !== at.head.hash) return
    if (deep.size + answers.length > deepKept) deep = new Map()
    for (const answer of answers) if (answer) deep.set(answer.value.number, answer.value.hash)
  }

  return async (numbers, at) => {
    if (deepAsOf !== heads.reorgs()) {
      deep = new Map()
      deepAsOf = heads.reorgs()
    }
    const wanted = [...new Set(numbers)].filter((number) => number <= at.head.number)
    const unread = wanted.filter((number) => heads.hashAt(number) === undefined && !deep.has(number))
    if (unread.length > 0) await readDeep(unread, at)
    const canonical = new Map<BlockNumber, Hash>()
    for (const number of wanted) {
      const hash = heads.hashAt(number) ?? deep.get(number)
      if (hash !== undefined) canonical.set(number, hash)
    }
    return canonical
  }
}
