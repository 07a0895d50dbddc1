// A run that ends with a part still broken: one of three or more nodes lies on, a replica is gone for good, or the keys stay out of
// reach. All else reaches a true verdict.

import { act } from './act.ts'
import { accountAt } from './chain/blocks.ts'
import { promptBlocks, promptMs, watchPromptNoOps } from './check/prompt-no-ops.ts'
import type { Row } from './check/row.ts'
import { slowMsMax } from './network.ts'
import { oneEvent, until } from './pass-time.ts'
import { outageBehaviors } from './process/signers.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

/** Breaks the part for good, once all other faults have stopped. */
export function breakForGood(world: World, service: Service): void {
  const { scenario, state, signersDice, history } = world
  if (scenario.brokenEnd === 'replica') service.loseReplica()
  if (scenario.brokenEnd !== 'signer') return
  state.signerBehavior = signersDice.pick(outageBehaviors)
  history.note(`the service that holds the keys, for good: ${state.signerBehavior}`)
}

/** While a node lies on, blocks leave out for a while what clients send and then cancel. The keys are at hand, and nothing is ordered yet. */
export async function outlastLiar(world: World, service: Service): Promise<void> {
  const { scenario, state, network, lieOnDice, timeline, history } = world
  if (scenario.brokenEnd !== 'liar' || scenario.signerChanges !== undefined) return
  const blocksMs = (blocks: number) => blocks * state.blocktimeMs
  // Answers that were slow have come by the end of this wait.
  network.isPrompt = true
  await until(world, timeline.now() + 2 * slowMsMax)
  state.drought = { kind: 'ours', blocksLeft: Number.POSITIVE_INFINITY }
  for (let count = lieOnDice.between(2, 6); count > 0; count -= 1) act(world, service, 'send')
  await until(world, timeline.now() + Math.max(2_000, blocksMs(lieOnDice.between(1, 12))))
  const noOps = watchPromptNoOps(world)
  for (let relayer = 0; relayer < scenario.relayers; relayer += 1) service.cancelPending(relayer)
  const ends = timeline.now() + Math.max(promptMs, blocksMs(promptBlocks)) + blocksMs(2)
  while (timeline.now() < ends && !history.failure()) {
    await oneEvent(world)
    noOps.look()
  }
  state.drought = undefined
  network.isPrompt = false
}

/** Cancels the queue, for which nothing can be signed. */
export function takeBackQueue({ scenario, rows }: World, service: Service): void {
  if (scenario.brokenEnd !== 'signer') return
  for (const [id, { open, phase, canceled_at: canceledAt, relayer_id: relayer }] of rows.all()) {
    if (open === 1 && phase === 'queued' && canceledAt === null) service.cancel(Number(relayer.slice(1)), id)
  }
}

/** Open rows that have to end: all but those that need a signature while the key service is broken. */
export function rowsToEnd(world: World): readonly Row[] {
  const open = [...world.rows.all().values()].filter((row) => row.open === 1)
  return open.filter((row) => !lacksSignature(world, row))
}

export function lacksSignature({ scenario, addresses, blocks }: World, row: Row): boolean {
  if (scenario.brokenEnd !== 'signer') return false
  const { phase, nonce, relayer_id: relayer } = row
  const { nonce: unspent } = accountAt(blocks.canonical(), addresses[Number(relayer.slice(1))] ?? '')
  return phase === 'inFlight' && nonce !== null && nonce >= unspent
}
