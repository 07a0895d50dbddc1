// One step of the world: a client, the chain, a node or fate does something.
import type { SendRequest } from '../src/domain/submit.ts'
import { type Pricing, speeds } from '../src/domain/transaction.ts'
import { accountAt } from './chain/blocks.ts'
import { moodyContract } from './chain/mine.ts'
import { offer } from './chain/node.ts'
import { taggedData } from './chain/transaction.ts'
import { follow, mine, reorganise } from './mining.ts'
import { epochMs } from './process/engine.ts'
import { type Action, drawPolicies, drawWeather, gwei, inWords, type ReplicaAction } from './scenario.ts'
import type { Service } from './service.ts'
import { strangersTransaction } from './stranger.ts'
import { fullBalance, type World } from './world.ts'

export function act(world: World, service: Service, action: Action | ReplicaAction): void {
  const { dice, history, nodes, scenario, state, blocks, network } = world
  const node = dice.pick(nodes)
  const relayer = dice.below(scenario.relayers)
  const address = world.addresses[relayer] ?? ''
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
      state.policies = drawPolicies(dice, { capped: scenario.policies.gasPriceCap !== undefined, mayPause: true })
      history.note(`the configuration changes: ${inWords(state.policies)}`)
      service.reconfigure()
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
      reorganise(world, dice.between(1, scenario.reorgMax))
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
    case 'weather': {
      const badness = dice.pick([0, 0, 0.05, 0.2, 0.5, 1])
      network.weather[node.index] = drawWeather(scenario.faults, badness)
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
      // Eighteen blocks of an eighth more are eight times the price.
      state.spike = state.spike === 0 ? 18 : -18
      history.note(`the base fee ${state.spike > 0 ? 'rises' : 'falls'} from now on`)
      return
    case 'emptyBalance':
      state.balances.set(address, BigInt(dice.below(1_000_000)) * gwei)
      history.note(`r${relayer} is robbed`)
      return
    case 'refill':
      for (const each of world.addresses) state.balances.set(each, fullBalance)
      return
    case 'stranger': {
      const nonce = accountAt(blocks.canonical(), address).nonce + dice.pick([0, 0, 0, 1, 2, 5])
      const cap = blocks.canonical().nextBaseFee * BigInt(dice.pick([1, 3, 20])) + 7n
      // All that it can pay, too: hundreds of times the market, and not mined where its cap lies below the base fee.
      const tip = dice.pick([1_600_000n, 9_000_001n, 40_000_000n, cap])
      void strangersTransaction(relayer, nonce, { cap, tip }).then((transaction) => {
        history.note(`somebody else uses the key of r${relayer} for nonce ${nonce}`)
        for (const each of nodes) if (dice.chance(0.6)) offer(world.node, each, transaction)
      })
      return
    }
    case 'revert':
      state.revertsNow = !state.revertsNow
      history.note(`the moody contract ${state.revertsNow ? 'reverts' : 'works'} from now on`)
      return
    case 'jumpClock':
      state.skewMs += dice.pick([-1, 1]) * dice.pick([500, 10_000, 120_000, 3_600_000])
      history.note(`the machine's clock is ${state.skewMs} ms off`)
      return
    case 'crash':
      service.doom('dead', dice.between(1, 12))
      return
    case 'pause':
      service.doom('paused', dice.between(1, 12))
      return
    case 'restart':
      service.restart()
      return
    case 'freeze':
      service.doom('paused', dice.between(1, 12))
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

function send(world: World, service: Service, relayer: number): void {
  const { tag, request } = payload(world)
  service.send(relayer, tag, request)
}

function replace(world: World, service: Service): void {
  const picked = pickOne(world)
  if (!picked) return
  const { tag, request } = payload(world)
  service.replace(picked.relayer, picked.id, tag, request)
}

/** One that is told from all others by its number. */
function payload(world: World): { tag: number; request: SendRequest } {
  const { dice, clients, scenario, state, timeline } = world
  const tag = clients.nextTag
  clients.nextTag += 1
  const moody = dice.chance(0.15)
  const gasLimit = dice.weighted({ estimated: 4, enough: 4, tooLittle: 0.3 })
  const request: SendRequest = {
    to: moody ? moodyContract : '0x00000000000000000000000000000000000c0de1',
    value: BigInt(dice.below(1_000)),
    data: taggedData(tag),
    pricing: pricing(world),
    ...(tag % 4 === 1 && { accessList: [{ address: moodyContract, storageKeys: [`0x${'0'.repeat(64)}`] }] }),
    ...(gasLimit !== 'estimated' && { gasLimit: gasLimit === 'enough' ? 30_000 : 21_100 }),
    ...(dice.chance(0.1) && {
      validUntil: Math.floor(epochMs + timeline.now() + state.skewMs + dice.between(1, 10) * scenario.blocktimeMs),
    }),
  }
  clients.requests.set(tag, request)
  return { tag, request }
}

function pricing({ dice, state, blocks }: World): Pricing {
  const kind = dice.weighted({ speed: 8, eip1559: 1, legacy: 1 })
  const cap = blocks.canonical().nextBaseFee * BigInt(dice.pick([1, 2, 3]))
  const { gasPriceCap } = state.policies
  const limited = gasPriceCap !== undefined && cap > gasPriceCap ? gasPriceCap : cap
  if (kind === 'eip1559')
    return { kind, maxFeePerGas: limited, maxPriorityFeePerGas: limited < 1_500_001n ? limited : 1_500_001n }
  if (kind === 'legacy') return { kind, gasPrice: limited }
  return { kind, speed: dice.pick(speeds) }
}

function cancel(world: World, service: Service): void {
  const picked = pickOne(world)
  if (picked) service.cancel(picked.relayer, picked.id)
}

/** Now and then one that ended already; mostly one that is open, and rather the newest. */
function pickOne({ dice, clients, rows }: World): { id: string; relayer: number } | undefined {
  const all = [...clients.accepted]
  const open = all.filter(([id]) => rows.all().get(id)?.open === 1)
  const some = dice.chance(0.1) || open.length === 0 ? all : dice.chance(0.5) ? open.slice(-3) : open
  if (some.length === 0) return undefined
  const [id, { relayer }] = dice.pick(some)
  return { id, relayer }
}
