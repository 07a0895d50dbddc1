// What happens once the faults have stopped: balances and policies allow every transaction to end, and clients cancel those that wait.
import { invalidPauseMaxMs } from '../src/domain/decide/race/repeat-after.ts'
import { maxWei } from '../src/domain/units.ts'
import { accountAt } from './chain/blocks.ts'
import { failingCallMs, isFailingCall } from './check/failing-calls.ts'
import { checkWaits } from './check/waits.ts'
import { hasLie } from './lies/lie.ts'
import { follow } from './mining.ts'
import { allAnswered } from './outcomes.ts'
import { relayerName, witnessSilentMs } from './process/engine.ts'
import { finalityBlocks, witnessesOf } from './scenario/finality.ts'
import { type Policies, withoutCancelCap } from './scenario/policies.ts'
import type { Scenario } from './scenario/scenario.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

/** Longer than any broadcast is under way, in milliseconds: a node would accept bytes that it has called invalid before. */
const tightMs = 30_000

/**
 * In blocks after the faults stopped: the base fee may need 36 to come down, or up; a foreign transaction is proven
 * by its second block and settled at finality, and then the displaced transaction begins anew; a refused gap filler may have to wait
 * for its next try; the rest is the queue. Where a receipt is late, so is the next in the queue, by that and by the pause
 * until it is requested again. Requests take their time on a fast chain, too: of blocks that come in less than a second, as
 * many as come in a second count as one, or in one and a half where a second endpoint has to answer. A round trip to a far
 * endpoint comes on top.
 */
export function boundBlocks(world: World, open: number): number {
  const { scenario, nodes, state } = world
  const { gaps, finality } = scenario
  const { blocktimeMs } = state
  const confirmations = Math.max(scenario.confirmations, finalityBlocks(finality))
  const untilTried = gaps.tightGapFillers > 0 ? Math.ceil((tightMs + invalidPauseMaxMs) / blocktimeMs) : 0
  const lateBlocks = Math.max(...nodes.map(({ receipts }) => receipts.lateBlocks))
  const delay = lateBlocks === 0 ? 0 : lateBlocks + 8
  const blocks = 100 + 4 * confirmations + delay + (8 + delay) * open + Math.max(0, blocksOfBaseFee(world) - 36)
  // A second endpoint has to answer, too.
  const countedMs = (nodes.length > 1 ? 1_500 : 1_000) + 2 * Math.max(0, ...(scenario.latenciesMs ?? []))
  const untilFailed = [...world.rows.all().values()].filter(isFailingCall).length * failingCallMs
  return (
    untilTried +
    untilAlone(world) +
    Math.ceil(untilFailed / blocktimeMs) +
    Math.ceil(blocks * Math.max(1, countedMs / blocktimeMs))
  )
}

/** Where a single node reports the tag, a verdict waits until the other nodes have been silent about it for long. */
function untilAlone({ scenario: { finality, profiles: nodes }, state: { blocktimeMs } }: World): number {
  if (nodes.length === 1 || witnessesOf(nodes.length, finality).length > 1) return 0
  return Math.ceil(witnessSilentMs / blocktimeMs)
}

/** A history check may remember a false count of a pool. Each nonce below needs a gap filler, once the operator permits it. */
export function gapFillersBelowFalseCount({ rows, scenario }: World): number {
  if (!hasLie(scenario.liar, 'highCount')) return 0
  return [...rows.all().values()].filter(({ origin }) => origin === 'gap').length
}

/** The blocks until the base fee is where the ending wants it, at an eighth for each block. */
function blocksOfBaseFee({ scenario, blocks }: World): number {
  const { firstBaseFee } = scenario.fees
  const [from, to] = [blocks.canonical().nextBaseFee, plateauOf(scenario) ?? firstBaseFee].map(Number)
  if (!from || !to) return 0
  return Math.ceil(to > from ? Math.log(to / from) / Math.log(9 / 8) : Math.log(from / to) / Math.log(8 / 7))
}

function plateauOf({ ending, policies }: Scenario): bigint | undefined {
  return ending === 'plateau' ? 2n * (policies.gasPriceCap ?? 0n) : undefined
}

export function stopFaults(world: World, service: Service): void {
  const { nodes, network, state, history, timeline } = world
  history.note('--- the faults stop ---')
  state.faulty = false
  state.calmFromMs = timeline.now()
  timeline.after(tightMs, () => {
    state.tightGapFillers = 0
  })
  state.revertsNow = false
  state.estimateOutage = undefined
  state.drought = undefined
  state.tagsStop = false
  network.outcomeOdds = nodes.map(() => allAnswered)
  network.sendOutcomeOdds = allAnswered
  for (const node of nodes) {
    node.lags = false
    node.pool.full = false
    follow(world, node)
  }
  service.resumePaused()
  service.recover()
  const policies = policiesAtTheEnd(world)
  // The service reads the order of the chain when it starts.
  const isNew = state.policies !== policies || world.scenario.kind.switchesOrder
  state.policies = policies
  // These policies keep their part of it: those of an operator before the end may have kept none.
  for (const address of world.addresses) state.balances.set(address, finalBalance(world))
  if (isNew) service.reconfigure()
}

function policiesAtTheEnd({ scenario: { policies, operator, ending, fees } }: World): Policies {
  const able = ending === 'drain' ? withRoomForTips(withoutCancelCap(policies), fees) : withoutCancelCap(policies)
  return operator?.pausesAtTheEnd && ending !== 'drain' ? { ...able, paused: [true, true] } : able
}

/** A cap that leaves no room for the tip that pools demand would hold every send until its client takes it back. */
function withRoomForTips(policies: Policies, { poolTipMin, firstBaseFee }: Scenario['fees']): Policies {
  const { gasPriceCap } = policies
  const least = poolTipMin + 2n * firstBaseFee
  return gasPriceCap === undefined || gasPriceCap >= least ? policies : { ...policies, gasPriceCap: least }
}

/** The balance pays for the open transactions at the current price, and for replacements of their bytes; for no more where money is short. */
function finalBalance(world: World): bigint {
  const { isFree, finalBalance: least } = world.scenario.fees
  if (isFree) return least
  const { gasFork, creations } = world.scenario
  const each = gasFork || creations !== undefined ? 60_000n : 21_400n
  const gas = BigInt(openRows(world) + unusedNonces(world)) * each
  const { reserve } = world.scenario
  // Every value, and no more than the reserve and what the policies keep beside them.
  const { minBalance = 0n, cancelReserve = 0n } = world.state.policies.others
  const kept = reserve
    ? minBalance + cancelReserve + reserve.reserve + (BigInt(openRows(world)) * reserve.reserve) / 20n
    : 0n
  const { nextBaseFee } = world.blocks.canonical()
  // The base fee may be far from where the ending wants it.
  const price = reserve
    ? maxWei(nextBaseFee, plateauOf(world.scenario) ?? 2n * world.scenario.fees.firstBaseFee)
    : nextBaseFee
  return maxWei(maxWei(reserve ? 0n : least, 4n * gas * price), 2n * dearestBytes(world)) + kept
}

/** The most that bytes cost whose nonce is unused. A replacement costs more than the bytes that it replaces, at whatever price they were signed. */
function dearestBytes({ bytes, blocks }: World): bigint {
  const head = blocks.canonical()
  const unused = bytes.everBroadcast.filter(({ from, nonce }) => nonce >= accountAt(head, from).nonce)
  return unused.reduce((most, { cap, gasLimit, value }) => maxWei(most, cap * BigInt(gasLimit) + value), 0n)
}

/** Keeps the base fee where the ending wants it; called at every block. */
export function steerBaseFee(world: World): void {
  const { scenario, blocks, state } = world
  const baseFee = blocks.canonical().nextBaseFee
  const plateau = plateauOf(scenario)
  const { firstBaseFee, traffic } = scenario.fees
  if (plateau !== undefined) state.spike = baseFee < plateau ? 1 : -1
  // Nobody is there to raise it where it is quiet.
  else state.spike = baseFee > firstBaseFee ? -1 : traffic === 'quiet' ? 0 : 1
}

/** Refills accounts for transactions that came after a sweep. */
export function refillSwept(world: World): void {
  if (world.scenario.sweeps === undefined) return
  const wanted = finalBalance(world)
  for (const address of world.addresses) {
    const { balance } = accountAt(world.blocks.canonical(), address)
    if (2n * balance < wanted) world.state.balances.set(address, wanted)
  }
}

/** Cancels everything, or with `drain` the transactions that only a cancellation ends. */
export function cancelTheRest(world: World, service: Service): void {
  const { scenario, rows } = world
  if (scenario.ending !== 'drain') {
    for (let relayer = 0; relayer < scenario.relayers; relayer += 1) service.cancelPending(relayer)
    return
  }
  for (const [id, row] of rows.all()) {
    if (row.open === 1 && row.pricing !== 'speed' && row.canceled_at === null) {
      service.cancel(Number(row.relayer_id.slice(1)), id)
    }
  }
}

const outbidsAny = 10n ** 15n
/** A quarter more each time, a thousandfold takes 31 bids. */
const outbidBlocks = 200

/** The least ceiling of a no-op without a `cancel_gas_price_cap`, in wei. */
const ceiling = 10n ** 12n

/**
 * Whether a foreign transaction of type 2 holds a nonce at a fee cap far above the market, and its replacement costs as much: ours there is
 * of the old type, whose price is its fee cap, or no pool takes a fee cap below the ceiling. The condition says what an operator does.
 */
function isOutbidByCap({ scenario, rows, nodes, addresses, bytes, state }: World): boolean {
  const isOld = !scenario.eip1559 || state.policies.others.eip1559Pricing === false
  return [...rows.all().values()].some(({ open, nonce, wait_condition: condition, relayer_id: id }) => {
    if (open === 0 || nonce === null || condition !== 'price_ceiling') return false
    const address = addresses[Number(id.slice(1))]
    const held = nodes.flatMap(({ pool }) => (address ? pool.bySender.get(address)?.get(nonce) : undefined) ?? [])
    return held.some(({ hash, cap }) => (isOld || cap >= ceiling) && bytes.recorded(hash) === undefined)
  })
}

/**
 * A transaction that waits by its own policy, such as a send at its cap behind a foreign transaction, ends only by a DELETE. Clients
 * send it at half of the bound. Returns by how many blocks the end comes later.
 */
export function giveUpWaiting(world: World, service: Service): number {
  const { scenario, rows, state } = world
  let later = 0
  if (state.policies.others.cancelGasPriceCap === undefined && isOutbidByCap(world)) {
    later = outbidBlocks
    state.policies = { ...state.policies, others: { ...state.policies.others, cancelGasPriceCap: outbidsAny } }
    service.reconfigure()
  }
  if (scenario.ending !== 'drain') {
    cancelTheRest(world, service)
    return later
  }
  const waits = checkWaits(world)
  for (const [id, row] of rows.all()) {
    if (row.open === 1 && row.canceled_at === null && row.wait_condition !== null) {
      const fault = waits.fault(row)
      if (fault !== undefined) world.history.fail(fault)
      service.cancel(Number(row.relayer_id.slice(1)), id)
    }
  }
  return later
}

/** Relayers whose transactions are all queued: the ids that wait, in their order. */
export function standingStill({ rows, scenario }: World): ReadonlyMap<string, string> {
  if (scenario.ending !== 'drain') return new Map()
  const open = [...rows.all().values()].filter((row) => row.open === 1)
  const still = [...Map.groupBy(open, ({ relayer_id: relayer }) => relayer)].filter(([, of]) =>
    of.every(({ phase }) => phase === 'queued'),
  )
  return new Map(still.map(([relayer, of]) => [relayer, of.map(({ id }) => id).join()]))
}

/** Whether a policy, a lack of money, a key service that stays broken or what a restored copy lacks may hold a relayer up. */
function mayStandStill({ restores, policies, fees, sweeps, bulkTerms, brokenEnd }: Scenario): boolean {
  if (brokenEnd === 'signer') return true
  // Transactions after a sweep find the account empty. A bulk cancellation that was written late may pause late.
  if (sweeps !== undefined || bulkTerms !== undefined) return true
  const isCapped = policies.gasPriceCap !== undefined && !fees.isFree
  return restores.length > 0 || isCapped || Object.keys(policies.others).length > 0
}

/**
 * Fails if a relayer has stood still, before clients cancel. A service that never sends loses nothing, and is wrong. Where it may stand
 * still, the first of its queue says why, and that is true.
 */
export function demandProgress(world: World, before: ReadonlyMap<string, string>): void {
  const waits = checkWaits(world)
  for (const [relayer, ids] of standingStill(world)) {
    const first = world.rows.all().get(ids.split(',')[0] ?? '')
    // A call that no node estimates ends by itself (check/failing-calls.ts).
    if (before.get(relayer) !== ids || first === undefined || isFailingCall(first)) continue
    const since = `${relayer} has stood still for a quarter of the bound`
    if (!mayStandStill(world.scenario)) world.history.fail(`${since}, and for no policy: "${first.status_reason}"`)
    else if (first.wait_condition === null)
      world.history.fail(`${since}, and shows no condition: "${first.status_reason}"`)
    const fault = waits.fault(first)
    if (fault !== undefined) world.history.fail(fault)
  }
}

/** Below the highest nonce in flight: a node that lied about a count may have left hundreds, and each needs a gap filler. */
export function unusedNonces({ rows, addresses, blocks, scenario }: World): number {
  if (!hasLie(scenario.liar, 'highCount')) return 0
  const perRelayer = addresses.map((address, relayer) => {
    const held = [...rows.all().values()].flatMap(({ open, nonce, relayer_id: id }) =>
      open === 1 && nonce !== null && id === relayerName(relayer) ? [nonce] : [],
    )
    return Math.max(0, Math.max(...held, 0) - accountAt(blocks.canonical(), address).nonce)
  })
  return perRelayer.reduce((sum, unused) => sum + unused, 0)
}

/** The operator compares the nonces once the faults have stopped, and permits gap fillers. */
export function permitGapFillers(world: World, service: Service): void {
  world.gapFillers.permitted()
  for (let relayer = 0; relayer < world.scenario.relayers; relayer += 1) service.permitGapFillers(relayer)
}

export function openRows(world: World): number {
  return [...world.rows.all().values()].filter(({ open }) => open === 1).length
}
