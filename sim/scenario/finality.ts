// Chains where a block is final later than it is confirmed: by depth, or by a tag of the nodes.
import type { Finality, FinalityTag } from '../../src/domain/finality.ts'
import type { Dice } from '../../tooling/dice.ts'
import type { TagAnswer } from '../chain/node.ts'

export interface FinalityWorld {
  /** The configured rule: a number of blocks, or a tag. */
  readonly rule: Finality
  /** How many blocks each tag is behind the head when it moves. */
  readonly lags: Readonly<Record<FinalityTag, number>>
  /** Tags move at heights that this number divides. */
  readonly strideBlocks: number
  /** For each node: its answer to a request for a tag. */
  readonly answers: readonly TagAnswer[]
  /** Probability, for each step, that the tags stop, or move again. */
  readonly stops: number
  /** Probability, for each step, of a reorganization of safe blocks. */
  readonly safeReorgs: number
  /** A step of the engine reads at most this many rows that wait for finality. */
  readonly rowsMax: number
}

interface Depths {
  readonly reorgMax: number
  readonly confirmations: number
}

/** Confirmations no longer protect from every reorg; finality does. */
export function drawFinality(
  dice: Dice,
  { nodes, restored }: { readonly nodes: number; readonly restored: boolean },
): Depths & { readonly finality: FinalityWorld } {
  const reorgMax = dice.pick([2, 3, 5, 8])
  const confirmations = dice.between(1, reorgMax)
  const kind = dice.pick(['number', 'safe', 'finalized', 'finalized'] as const)
  const safe = dice.between(0, confirmations + 8)
  const finalized = safe + dice.between(1, 20)
  const answers = Array.from({ length: nodes }, () => dice.pick<TagAnswer>(['block', 'block', 'null', 'error']))
  // One node has tags: without any, no block would ever be final.
  const knows = dice.below(nodes)
  const stops = dice.pick([0, 0.02, 0.05])
  const safeReorgs = dice.pick([0.02, 0.05])
  return {
    reorgMax,
    confirmations,
    finality: {
      rule: kind === 'number' ? reorgMax + dice.between(1, 4) : kind,
      lags: { safe, finalized },
      strideBlocks: dice.pick([1, 1, 4, 10]),
      answers: answers.map((answer, index) => (index === knows ? 'block' : answer)),
      stops,
      // After a restore, a reorganization could take back transactions that the copy does not hold.
      safeReorgs: restored || kind === 'number' ? 0 : safeReorgs,
      rowsMax: dice.pick([1, 2, 500]),
    },
  }
}

/** In blocks: how long a block may wait for its finality, once no fault hinders it. */
export function finalityBlocks(finality: FinalityWorld | undefined): number {
  if (!finality) return 0
  return typeof finality.rule === 'number' ? finality.rule : finality.lags[finality.rule] + finality.strideBlocks
}

export function isByTag(finality: FinalityWorld | undefined): finality is FinalityWorld {
  return finality !== undefined && typeof finality.rule !== 'number'
}

/** Indexes of the nodes that can say what is final. If a tag decides, only nodes that have that tag can. */
export function witnessesOf(nodes: number, finality: FinalityWorld | undefined): readonly number[] {
  const all = Array.from({ length: nodes }, (_, index) => index)
  return isByTag(finality) ? all.filter((index) => finality.answers[index] === 'block') : all
}
