// The finality tags of the chain while it runs: they lag, jump, stop, and limit how deep a reorganization may be.
import type { FinalityTag } from '../src/domain/finality.ts'
import { ancestorAt } from './chain/blocks.ts'
import type { World } from './world.ts'

/** Moves the tags after the head has moved. */
export function moveTags({ scenario, state, blocks }: World): void {
  const { finality } = scenario
  const head = blocks.canonical()
  if (!finality || state.tagsStop || head.number % finality.strideBlocks !== 0) return
  const to = (tag: FinalityTag) => {
    const block = ancestorAt(head, head.number - finality.lags[tag])
    return block && block.number > state.tags[tag].number ? block : state.tags[tag]
  }
  state.tags = { safe: to('safe'), finalized: to('finalized') }
}

/** Stops the tags now and then, or lets them move again. */
export function varyTags({ scenario, state, tagsDice, history }: World): void {
  const { finality } = scenario
  if (!finality || !tagsDice.chance(finality.stops)) return
  state.tagsStop = !state.tagsStop
  history.note(`the tags ${state.tagsStop ? 'stop' : 'go on'}`)
}

/** The deepest reorganization that the finality rule allows, in blocks. */
export function reorgDepthMax({ scenario, state, blocks }: World): number {
  const { finality } = scenario
  if (!finality || typeof finality.rule === 'number') return scenario.reorgMax
  return blocks.canonical().number - state.tags.safe.number
}
