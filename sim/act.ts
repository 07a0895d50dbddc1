// The action of a step: a client, the operator, the chain, a node or a process does something.

import type { BulkTerms } from '../src/domain/bulk-cancellation.ts'
import type { BulkFilter } from '../src/domain/bulk-filter.ts'
import { type Address, type Hex, isNonEmpty, type TransactionId } from '../src/domain/ids.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import { minWei } from '../src/domain/units.ts'
import { accountAt } from './chain/blocks.ts'
import { flakyContract } from './chain/mine.ts'
import { offer } from './chain/node.ts'
import { payloadSelector, receiver, sweepReceiver } from './chain/transaction.ts'
import { foreignTransaction } from './foreign-transaction.ts'
import { drawHoldPolicies, withSomeHold } from './holds.ts'
import type { Mark } from './marks/marks.ts'
import { follow, mine, reorganize } from './mining.ts'
import { oddsOfFaults } from './outcomes.ts'
import { drawLabels, drawPayload } from './payload.ts'
import type { Action, ReplicaAction } from './scenario/actions.ts'
import { drawOthers, drawPolicies, gwei, inWords } from './scenario/policies.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

const inRaces: Partial<Readonly<Record<Action | ReplicaAction, Mark>>> = {
  lag: 'lag-in-a-race',
  evict: 'eviction-in-a-race',
  fillPool: 'full-pool-in-a-race',
  restartPool: 'empty-pool-in-a-race',
  emptyBalance: 'robbed-in-a-race',
  jumpClock: 'clock-jumps-in-a-race',
  policies: 'policies-change-in-a-race',
  spike: 'spike-in-a-race',
  foreign: 'foreign-in-a-race',
  cancelPending: 'bulk-in-a-race',
}

export function act(world: World, service: Service, action: Action | ReplicaAction): void {
  const { dice, history, nodes, scenario, state, blocks, network, timeline, rollupDice } = world
  const { fees } = scenario
  const node = dice.pick(nodes)
  const relayer = dice.below(scenario.relayers)
  const address = world.addresses[relayer] ?? ''
  const mark = inRaces[action]
  if (mark) world.marks.inRace(mark)
  switch (action) {
    case 'nothing':
      return
    case 'send':
      send(world, service, relayer)
      return
    case 'cancel':
      cancel(world, service)
      return
    case 'cancelPending':
      service.cancelPending(relayer)
      return
    case 'policies':
      changePolicies(world, service)
      return
    case 'replace':
      replace(world, service)
      return
    case 'blocks': {
      const count = dice.pick([1, 1, 2, 3, 8])
      for (let block = 0; block < count; block += 1) mine(world)
      return
    }
    case 'reorg':
      reorganize(world, dice.between(1, scenario.reorgMax))
      return
    case 'lag':
      node.lags = true
      history.note(`n${node.index} stands still at ${node.head.number}`)
      return
    case 'catchUp':
      for (const each of nodes.filter(() => dice.chance(0.5))) {
        each.lags = false
        follow(world, each)
      }
      return
    case 'changeFaults': {
      const badness = dice.pick([0, 0, 0.05, 0.2, 0.5, 1])
      network.outcomeOdds[node.index] = oddsOfFaults(scenario.faults, badness)
      history.note(`n${node.index}: ${badness * 100} % of requests go wrong`)
      return
    }
    case 'evict': {
      const held = [...node.pool.bySender.values()].flatMap((each) => [...each.values()].map((one) => ({ each, one })))
      for (const { each, one } of held) if (dice.chance(0.5)) each.delete(one.nonce)
      history.note(`n${node.index} evicts some of ${held.length}`)
      return
    }
    case 'restartPool':
      node.pool.bySender.clear()
      node.pool.tracked = []
      history.note(`n${node.index} restarts with an empty pool`)
      return
    case 'fillPool':
      node.pool.full = !node.pool.full
      history.note(`n${node.index} is ${node.pool.full ? 'full' : 'no longer full'}`)
      return
    case 'spike':
      state.spike = state.spike === 0 ? fees.spikeBlocks : -fees.spikeBlocks
      history.note(`the base fee ${state.spike > 0 ? 'rises' : 'falls'} from now on`)
      return
    case 'emptyBalance':
      state.balances.set(address, minWei(BigInt(dice.below(1_000_000)) * gwei, fees.balance))
      history.note(`r${relayer} is robbed`)
      return
    case 'refill':
      for (const each of world.addresses) state.balances.set(each, fees.balance)
      return
    case 'foreign': {
      const nonce = accountAt(blocks.canonical(), address).nonce + dice.pick([0, 0, 0, 1, 2, 5])
      const cap = blocks.canonical().nextBaseFee * BigInt(dice.pick([1, 3, 20])) + (fees.isFree ? 0n : 7n)
      // The tip may be as high as the cap: hundreds of times the market, and not mined where the cap is below the base fee.
      const tip = dice.pick([1_600_000n, 9_000_001n, 40_000_000n, cap])
      void foreignTransaction(relayer, nonce, { cap, tip, value: fees.isFree ? 0n : 1n }).then((transaction) => {
        history.note(`somebody else uses the key of r${relayer} for nonce ${nonce}`)
        world.bids.foreign(transaction)
        if (scenario.rollup)
          state.foreignFromMs.set(transaction.hash, timeline.now() + rollupDice.between(1_000, 20_000))
        for (const each of nodes) {
          if (dice.chance(0.6)) world.marks.offered(each, transaction, offer(world.node, each, transaction))
        }
      })
      return
    }
    case 'revert':
      state.revertsNow = !state.revertsNow
      history.note(`the flaky contract ${state.revertsNow ? 'reverts' : 'works'} from now on`)
      return
    case 'jumpClock':
      state.skewMs += dice.pick([-1, 1]) * dice.pick([500, 10_000, 120_000, 3_600_000])
      history.note(`the machine's clock is ${state.skewMs} ms off`)
      return
    case 'crash':
      service.scheduleEnd('dead', dice.between(1, 12))
      return
    case 'pause':
      service.scheduleEnd('paused', dice.between(1, 12))
      return
    case 'restart':
      service.restart()
      return
    case 'freeze':
      service.scheduleEnd('paused', dice.between(1, 12))
      return
    case 'join':
      service.join()
      return
    case 'leave':
      service.leave()
      return
    case 'breakSession':
    case 'cutOff': {
      const victim = service.someProcess()?.instance
      const locks = world.machine.sharing?.locks
      if (!victim || !locks) return
      if (action === 'cutOff') locks.cutOff(victim, dice.pick([500, 2_500, 3_500, 10_000]))
      else locks.breakSession(victim)
      return
    }
  }
}

function changePolicies(world: World, service: Service): void {
  const { dice, policyDice, scenario, state, history } = world
  const { operator } = scenario
  const drawn = drawPolicies(dice, { capped: scenario.policies.gasPriceCap !== undefined, mayPause: true })
  const others = operator ? drawOthers(policyDice, operator) : drawn.others
  const { maxInFlight } = scenario.rollup ? scenario.policies : drawn
  state.policies = { ...drawn, maxInFlight, others: { ...others, ...drawHoldPolicies(world) } }
  history.note(`the configuration changes: ${inWords(state.policies)}`)
  // The configuration counts from the next start on, even if the request fails.
  if (operator && policyDice.chance(operator.patches)) service.patch()
  else service.reconfigure()
}

function send(world: World, service: Service, relayer: number): void {
  const { tag, request } = drawPayload(world)
  const labels = drawLabels(world, relayer, tag)
  service.send(relayer, tag, withSomeHold(world, labels ? { ...request, labels } : request))
}

function replace(world: World, service: Service): void {
  const picked = pickOne(world)
  if (!picked) return
  const { dice, scenario } = world
  const same = scenario.repeatsPayloads && dice.chance(0.5) ? lastPayload(world, picked.id) : undefined
  const { tag, request } = same ?? drawPayload(world)
  world.labels.replaced(world.clients.accepted.get(picked.id)?.tag, tag)
  service.replace(picked.relayer, picked.id, tag, withSomeHold(world, request))
}

/** The newest payload of a transaction. A replacement by it may have the same bytes again. */
function lastPayload({ clients }: World, id: string): { tag: number; request: SendRequest } | undefined {
  const tag = clients.replaced.findLast((each) => each.id === id)?.tag ?? clients.accepted.get(id)?.tag
  const request = tag === undefined ? undefined : clients.requests.get(tag)
  return tag === undefined || !request ? undefined : { tag, request }
}

function cancel(world: World, service: Service): void {
  const picked = pickOne(world)
  if (picked) service.cancel(picked.relayer, picked.id)
}

/** Picks an open transaction, preferably a new one, and sometimes an ended one. */
function pickOne({ dice, clients, rows }: World): { id: string; relayer: number } | undefined {
  const all = [...clients.accepted]
  const open = all.filter(([id]) => rows.all().get(id)?.open === 1)
  const some = dice.chance(0.1) || open.length === 0 ? all : dice.chance(0.5) ? open.slice(-3) : open
  if (some.length === 0) return undefined
  const [id, { relayer }] = dice.pick(some)
  return { id, relayer }
}

/** Bounds the cost of a transaction in flight, preferably one that has a bound: too low, just enough, or far more than its no-op needs. */
export function boundOne({ rows, boundDice, blocks }: World, service: Service): void {
  const open = [...rows.all().values()].filter((row) => row.open === 1 && row.origin !== 'gap' && row.nonce !== null)
  const bounded = open.filter((row) => row.cancel_cost_max !== null)
  const some = bounded.length > 0 && boundDice.chance(0.4) ? bounded : open
  if (some.length === 0) return
  const { id, relayer_id: relayer } = boundDice.pick(some)
  const of = Number(relayer.slice(1))
  const perGas = 2n * blocks.canonical().nextBaseFee + BigInt(boundDice.pick([0, 1, 3, 20])) * gwei
  const costMax = (21_000n * perGas * BigInt(boundDice.pick([0, 1, 4, 5, 8, 40]))) / 4n
  // A plain one lifts the bound.
  if (boundDice.chance(0.15)) service.cancel(of, id)
  else service.cancelWithin(of, id, costMax)
}

/** Sweeps an account to a new address, which identifies the execution. */
export function sweepOne({ clients, sweepDice, scenario }: World, service: Service): void {
  const tag = clients.nextTag
  clients.nextTag += 1
  const to = sweepReceiver(tag)
  clients.requests.set(tag, { to, value: 0n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } })
  service.sweep(sweepDice.below(scenario.relayers), tag, to)
}

/** Cancels the transactions that a filter matches, at one relayer or at all of them. */
export function cancelSome(world: World, service: Service): void {
  const { bulkDice, bulkTagDice, clients, scenario, marks } = world
  const ids = [...clients.accepted.keys()].slice(-4) as TransactionId[]
  const filters: readonly BulkFilter[] = [
    {},
    { olderThanMs: bulkDice.pick([1, 2_000, 30_000]) },
    { newerThanMs: bulkDice.pick([2_000, 30_000]) },
    { valueFrom: BigInt(bulkDice.below(1_000)) },
    { valueTo: BigInt(bulkDice.below(1_000)), olderThanMs: 1 },
    { to: bulkDice.pick([receiver, flakyContract]) as Address },
    { selector: bulkDice.pick([payloadSelector, '0x']) as Hex },
    { nonceFrom: bulkDice.below(20) },
    { statuses: [bulkDice.pick(['pending', 'sent', 'submitted'] as const)] },
    ...(isNonEmpty(ids) ? [{ ids }] : []),
  ]
  const tags = bulkTagDice.pick([['red'], ['blue', 'green'], ['red', 'blue']] as const)
  const drawn = bulkDice.pick(filters)
  const filter = scenario.externalIds !== undefined && bulkTagDice.chance(0.2) ? { tags } : drawn
  const all = Array.from({ length: scenario.relayers }, (_, index) => index)
  marks.inRace('bulk-in-a-race')
  service.cancelSome(bulkDice.chance(0.5) ? all : [bulkDice.pick(all)], { filter, ...drawTerms(world) })
}

/** Draws a limit of cost: enough for no no-op, for a few, or for all of them. */
function drawTerms({ bulkTermsDice: dice, blocks, scenario }: World): Omit<BulkTerms, 'filter'> {
  if (scenario.bulkTerms === undefined || !dice.chance(scenario.bulkTerms)) return { pause: false }
  const perGas = 2n * blocks.canonical().nextBaseFee + BigInt(dice.pick([1, 3, 20])) * gwei
  const maxCost = (21_000n * perGas * BigInt(dice.pick([0, 2, 3, 5, 9, 400]))) / 2n
  const limit = dice.pick([{}, { only: 'free' }, { maxCost }, { maxCost }, { only: 'free', maxCost }] as const)
  return { pause: dice.chance(0.3), ...limit }
}
