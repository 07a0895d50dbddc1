// A first-come sequencer answers that it has our transactions, and makes block after block without them. Nothing else is wrong.
import { act } from './act.ts'
import { steerBaseFee } from './after-faults.ts'
import { span, watchProgress } from './check/progress.ts'
import { oneEvent } from './pass-time.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

const sends = 1

export async function outlastHeldBack(world: World, service: Service): Promise<void> {
  const { scenario, state, blocks, history, timeline } = world
  if (!scenario.isHeldBack) return
  history.note('the sequencer makes blocks without our transactions')
  state.drought = { kind: 'ours', blocksLeft: Number.POSITIVE_INFINITY }
  for (let left = sends; left > 0; left -= 1) act(world, service, 'send')
  const watch = watchProgress(world)
  const ends = { block: blocks.canonical().number + 4 * span.blocks, ms: timeline.now() + 4 * span.ms }
  let height = -1
  while (!history.failure() && (blocks.canonical().number < ends.block || timeline.now() < ends.ms)) {
    await oneEvent(world)
    const { number } = blocks.canonical()
    if (number === height) continue
    height = number
    watch.look()
    steerBaseFee(world)
  }
  state.drought = undefined
}
