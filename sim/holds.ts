// Clients that hold what they send, policies that demand it, and releases at any moment.
import type { HoldRequest } from '../src/domain/hold.ts'
import type { Policies } from '../src/domain/policy-table.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import { epochMs } from './process/engine.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

/** Without a hold where the seed has none. */
export function withSomeHold(world: World, request: SendRequest): SendRequest {
  const { scenario, holdDice } = world
  if (scenario.holds === undefined || !holdDice.chance(scenario.holds)) return request
  return { ...request, hold: drawHold(world) }
}

function drawHold({ holdDice, scenario, state, timeline }: World): HoldRequest {
  const ms = holdDice.between(1, 8) * scenario.blocktimeMs
  const kind = holdDice.pick(['release', 'for', 'for', 'notBefore'] as const)
  if (kind === 'release') return { kind }
  return kind === 'for' ? { kind, ms } : { kind, at: Math.floor(epochMs + timeline.now() + state.skewMs + ms) }
}

/** Draws the policies about holds. */
export function drawHoldPolicies({ holdDice, scenario }: World): Partial<Policies> {
  if (scenario.holds === undefined) return {}
  return {
    ...(holdDice.chance(0.4) && { minHold: holdDice.between(1, 8) * 1_000 }),
    ...(holdDice.chance(0.4) && { holdAboveValue: BigInt(holdDice.pick([0, 300, 700])) }),
  }
}

/** A client releases one transaction or all, on hold or not. */
export function varyHolds(world: World, service: Service): void {
  const { scenario, holdDice } = world
  if (scenario.holds === undefined || !holdDice.chance(0.15)) return
  const all = [...world.clients.accepted]
  if (holdDice.chance(0.3)) releaseHeld(world, service)
  else if (all.length > 0) {
    const [id, { relayer }] = holdDice.pick(all)
    service.release(relayer, [id])
  }
}

/** Releases all transactions on hold, in one request for each relayer. */
export function releaseHeld({ rows, scenario }: World, service: Service): void {
  const held = [...rows.all().values()].filter(({ phase }) => phase === 'held')
  for (let relayer = 0; relayer < scenario.relayers; relayer += 1) {
    const ids = held.flatMap(({ id, relayer_id: of }) => (Number(of.slice(1)) === relayer ? [id] : []))
    if (ids.length > 0) service.release(relayer, ids)
  }
}
