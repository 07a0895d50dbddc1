// The base fee rises above the cap of the sends while they are in flight, and stays there: nothing else is wrong.
import { act } from './act.ts'
import { steerBaseFee } from './after-faults.ts'
import { watchBelowBaseFee } from './check/below-base-fee.ts'
import { oneEvent } from './pass-time.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

const sends = 6
/** The base fee needs some 20 blocks to rise above the cap. */
const blocksAbove = 60

export async function outlastFeeAboveCap(world: World, service: Service): Promise<void> {
  const { scenario, state, blocks, history } = world
  if (!scenario.isFeeAboveCap) return
  for (let left = sends; left > 0; left -= 1) act(world, service, 'send')
  history.note('the base fee rises above the cap of the sends, and no transaction of ours is mined')
  const above = 2n * (state.policies.gasPriceCap ?? 0n)
  const watch = watchBelowBaseFee(world)
  const ends = blocks.canonical().number + blocksAbove
  state.drought = { kind: 'ours', blocksLeft: blocksAbove }
  let height = -1
  while (!history.failure() && blocks.canonical().number < ends) {
    await oneEvent(world)
    const { number, nextBaseFee } = blocks.canonical()
    if (number === height) continue
    height = number
    watch.look()
    state.spike = nextBaseFee < above ? 1 : 0
  }
  state.drought = undefined
  steerBaseFee(world)
}
