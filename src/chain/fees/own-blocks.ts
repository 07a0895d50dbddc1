// The recent blocks with a transaction of ours, as far as the process has seen them: our own bids are no price of the chain.
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'

export interface OwnBlocks {
  learn(head: BlockNumber, numbers: readonly BlockNumber[], inclusions: Iterable<Inclusion>): void
  has(number: BlockNumber): boolean
}

/** The blocks kept: more than any reading of prices covers, also where an endpoint is behind. */
const keptBlocks = 64

export function rememberOwnBlocks(): OwnBlocks {
  const known = new Set<BlockNumber>()
  return {
    learn(head, numbers, inclusions) {
      const ours = [...inclusions].filter(({ by }) => by !== 'external').map(({ block }) => block.number)
      const first = head - keptBlocks
      for (const number of [...numbers, ...ours]) if (number >= first) known.add(number)
      for (const number of known) if (number < first) known.delete(number)
    },
    has: (number) => known.has(number),
  }
}
