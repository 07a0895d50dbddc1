// Makes blocks as time passes, and reorganizations, and moves the nodes to the new head.
import { maxWei } from '../src/domain/units.ts'
import { accountAt, ancestorAt, type Block } from './chain/blocks.ts'
import { ownDeposit } from './chain/deposits.ts'
import { isForked } from './chain/gas-rules.ts'
import { seal } from './chain/mine.ts'
import { moveTo, orderArrived, type SimNode } from './chain/node.ts'
import { executable } from './chain/pool.ts'
import { l1GasAt, l1PriceAt } from './chain/sequencer.ts'
import type { SimTransaction } from './chain/transaction.ts'
import { demandReserve } from './check/reserve.ts'
import { epochMs } from './process/engine.ts'
import { baseFeeMax } from './scenario/fees.ts'
import { moveTags, reorgDepthMax } from './tags.ts'
import type { World } from './world.ts'

/** Makes a block on top of the canonical chain. */
export function mine(world: World): void {
  switchOrder(world)
  if (isSlotEmpty(world)) return
  const block = build(world, world.blocks.canonical(), world.dice.pick(world.nodes), [], drawDeposits(world))
  adopt(world, block)
}

/**
 * A block is announced, and its builder withholds the payload, so that the next block has the same height (EIP-7732). Some nodes
 * show the block alone, some got the payload in time and execute it, and some never see it.
 */
function isSlotEmpty(world: World): boolean {
  const { scenario, state, slotDice, blocks, history } = world
  if (!state.faulty || !slotDice.chance(scenario.emptySlots ?? 0)) return false
  const withheld = build(world, blocks.canonical(), slotDice.pick(world.nodes), [])
  for (const node of world.nodes) {
    if (node.lags || node.head !== withheld.parent || slotDice.chance(0.3)) continue
    if (slotDice.chance(0.5)) node.announced = withheld
    else {
      world.truth.nodeMoves(node, withheld)
      moveTo(world.node, node, withheld)
    }
  }
  state.shownHeight = Math.max(state.shownHeight, withheld.number)
  if (withheld.included.length > 0) world.marks.note('payload-withheld')
  history.note(
    `block ${withheld.number} is announced with ${withheld.included.length} of ours, and its slot stays empty`,
  )
  return true
}

/** Changes the order of the sequencer. The service reads the order when it starts, and hourly. */
function switchOrder({ scenario, state, orderDice, history }: World): void {
  if (!scenario.kind.switchesOrder || !state.faulty || !orderDice.chance(0.02)) return
  state.isByTips = !state.isByTips
  history.note(`transactions are ordered ${state.isByTips ? 'by tips' : 'as they come'} from now on`)
}

/** Announces the fork of the gas rules: a block that comes soon has the new ones. */
export function beginGasFork({ scenario, state, blocks, history }: World): void {
  if (!scenario.gasFork) return
  state.gasForkAt = blocks.canonical().number + 1 + scenario.gasFork.delayBlocks
  history.note(`gas has new rules from block ${state.gasForkAt} on`)
}

/** Replaces the topmost `depth` blocks by one more than that. */
export function reorganize(world: World, depth: number): void {
  const { blocks } = world
  const old = blocks.canonical()
  const fork = ancestorAt(old, old.number - Math.min(depth, reorgDepthMax(world)))
  if (fork && fork !== old) branchOff(world, fork, fork)
}

/** The sequencer fails over: blocks of up to a minute are taken back, and most of their transactions come again. */
export function failOver(world: World, ms: number): void {
  const { blocks, state, marks } = world
  const old = blocks.canonical()
  const depth = Math.min(Math.floor(ms / state.blocktimeMs), reorgDepthMax(world))
  const fork = ancestorAt(old, old.number - depth)
  if (!fork || fork === old) return
  marks.note('minute-taken-back')
  branchOff(world, fork, fork, 0.95)
}

/** Takes back safe blocks, as a rollup does whose L1 was reorganized: the sequencer makes them again with the same transactions. */
export function takeBackSafe(world: World): void {
  const { blocks, scenario, state, tagsDice, history } = world
  const { safe, finalized } = state.tags
  const chance = scenario.finality?.safeReorgs ?? 0
  if (chance === 0 || !tagsDice.chance(chance) || safe.number <= finalized.number) return
  const old = blocks.canonical()
  const fork = ancestorAt(old, tagsDice.between(finalized.number, safe.number - 1))
  if (!fork) return
  let copy = fork
  for (let number = fork.number + 1; number <= safe.number; number += 1) {
    const block = ancestorAt(old, number)
    if (!block) return
    state.unsafe.add(block.hash)
    const { hash: _, number: __, ...held } = block
    copy = blocks.seal({ ...held, parent: copy })
    world.bids.sealed(copy)
    world.costBounds?.sealed(copy)
  }
  history.note(`${safe.number - fork.number} safe blocks are taken back`)
  world.marks.note('safe-blocks-taken-back')
  state.tags = { safe: copy, finalized }
  branchOff(world, fork, copy)
}

/** Replaces the blocks above `fork` by those up to `base`, and by more than there were. `again`: the odds of each transaction of the old branch. */
function branchOff(world: World, fork: Block, base: Block, odds = 0.4): void {
  const { blocks, dice } = world
  const old = blocks.canonical()
  const depth = old.number - fork.number
  let lost: SimTransaction[] = []
  for (let at: Block | undefined = old; at && at.number > base.number; at = at.parent) {
    lost = [...at.included.map(({ transaction }) => transaction), ...lost]
  }
  const sent = lost.filter(({ isDeposit }) => !isDeposit)
  // L1 has not changed.
  let deposits = lost.filter(({ isDeposit }) => isDeposit)
  let head = base
  for (let block = 0; block <= old.number - base.number; block += 1) {
    const again = sent.filter(() => dice.chance(odds))
    head = build(world, head, dice.pick(world.nodes), again, deposits.slice(0, 1))
    deposits = deposits.slice(1)
  }
  // Some nodes miss it, and keep the old branch.
  const behind = world.nodes.filter(() => dice.chance(0.2) && world.scenario.restores.length === 0)
  for (const node of behind) node.lags = true
  const [below, above] = [fork.number, old.number].map((number) => isForked(world.node.gasRulesAt(number)))
  if (below !== above) world.history.note('the fork of gas rules is undone')
  world.marks.reorganized(depth, lost)
  world.history.note(
    `reorg of depth ${depth}${behind.length > 0 ? `, unheard of by n${behind.map(({ index }) => index)}` : ''}`,
  )
  for (const address of world.addresses) world.funds.moved(address, head.number)
  adopt(world, head)
}

function build(
  world: World,
  parent: Block,
  producer: SimNode,
  first: readonly SimTransaction[],
  deposits: readonly SimTransaction[] = [],
): Block {
  const { scenario, dice, state } = world
  const { fees } = scenario
  const isFcfs = world.node.isFcfs()
  orderArrived(world.node, producer)
  // A sequencer leaves nothing out of the next block that it has ordered, but for `heldBack`.
  const leftOut = transactionsInDrought(world)
  const drift = driftAbove(world, parent)
  const mayHold = ({ hash }: SimTransaction) => (state.foreignFromMs.get(hash) ?? 0) <= world.timeline.now()
  const resurfaced = state.faulty && dice.chance(scenario.resurfacing) ? shuffled(world) : []
  const block = seal(world.blocks, {
    parent,
    deposits,
    candidates: leftOut ? [] : inTurn([...resurfaced, ...first, ...executable(producer.pool, parent)].filter(mayHold)),
    transactionsMax: isFcfs
      ? Number.POSITIVE_INFINITY
      : dice.between(0, scenario.transactionsPerBlockMax) + (state.faulty ? 0 : 1),
    revertsNow: state.revertsNow,
    drift: leftOut === 'all' ? -8 : drift,
    tipMin: maxWei(fees.poolTipMin, fees.builderTipMin),
    isContested: !isFcfs && (fees.traffic === 'busy' || fees.traffic === 'changing'),
    l1Gas: l1GasAt(parent, scenario.kind),
    ...(scenario.kind.hasL1Fee && { l1Price: l1PriceAt(parent, scenario.kind) }),
    gasRules: world.node.gasRulesAt(parent.number + 1),
    ...(scenario.reserve && { reserve: scenario.reserve }),
    timestampSeconds: timestampAfter(world, parent),
    balances: state.balances,
  })
  world.bids.sealed(block)
  world.costBounds?.sealed(block)
  return block
}

/** Whole seconds: where blocks are made faster than that, neighbors have the same, as a sequencer's may (Nitro). */
function timestampAfter({ scenario, timeline, state }: World, parent: Block): number {
  const mayRepeat = scenario.blocktimeMs < 1_000 || state.blocktimeMs < 1_000 || scenario.kind.isFcfs
  const least = parent.timestampSeconds + (mayRepeat ? 0 : 1)
  const seconds = Math.max(least, Math.floor((epochMs + timeline.now()) / 1_000))
  state.newestBlockMs = Math.max(state.newestBlockMs, seconds * 1_000)
  return seconds
}

/** Now and then L1 sends a deposit of a relayer's account. */
function drawDeposits({ scenario, state, rollupDice, addresses, marks }: World): readonly SimTransaction[] {
  const { ownDeposits = 0 } = scenario.rollup ?? {}
  if (ownDeposits === 0 || !state.faulty || !rollupDice.chance(ownDeposits)) return []
  state.deposits += 1
  marks.note('own-deposit')
  return [ownDeposit(rollupDice.pick(addresses), state.deposits)]
}

/** The transactions that this block leaves out because of a drought. */
function transactionsInDrought({ state }: World): 'ours' | 'all' | undefined {
  const { drought } = state
  if (!drought || drought.kind === 'blocks') return undefined
  const blocksLeft = drought.blocksLeft - 1
  state.drought = blocksLeft > 0 ? { kind: drought.kind, blocksLeft } : undefined
  return drought.kind
}

/** How the traffic of others moves the base fee above this block. */
function driftAbove({ state, scenario: { fees }, dice, feesDice }: World, { number, nextBaseFee }: Block): number {
  const { spike } = state
  if (spike !== 0) {
    state.spike -= Math.sign(spike)
    const isOver = spike === 1 || (spike > 0 && nextBaseFee >= baseFeeMax)
    // Downwards an eighth is more than upwards: eight blocks take back what nine have added.
    if (isOver && state.faulty) state.spike = fees.spikesPass ? -Math.ceil((fees.spikeBlocks * 8) / 9) : 0
    return spike > 0 ? 8 : -8
  }
  const usual = dice.between(-4, 4)
  if (nextBaseFee >= baseFeeMax) return -8
  const isQuiet = fees.traffic === 'quiet' || (fees.traffic === 'changing' && (number >> 5) % 2 === 0)
  if (isQuiet) return -8
  if (fees.traffic === 'usual') return usual
  return nextBaseFee < fees.firstBaseFee / 10n ? 8 : feesDice.pick([8, 8, -3, -6, -6])
}

/** Bytes that a node once had, in random order. */
function shuffled(world: World): SimTransaction[] {
  const all = [...world.bytes.everBroadcast]
  return Array.from({ length: Math.min(6, all.length) }, () => world.dice.pick(all))
}

/** Sorts by nonce, since a candidate out of turn would be left out. */
function inTurn(candidates: readonly SimTransaction[]): SimTransaction[] {
  return candidates
    .map((transaction, index) => ({ transaction, index }))
    .sort((one, other) => one.transaction.nonce - other.transaction.nonce || one.index - other.index)
    .map(({ transaction }) => transaction)
}

function adopt(world: World, block: Block): void {
  const { blocks, history, state, timeline, dice } = world
  world.marks.mined(block)
  demandReserve(world, block)
  blocks.adopt(block)
  for (const [address, balance] of state.balances) {
    const had = block.parent ? accountAt(block.parent, address).balance : balance
    if (balance < had) world.funds.moved(address, block.number)
  }
  state.balances.clear()
  const taken = block.included.map(({ transaction, succeeded }) => {
    const attempt = world.bytes.recorded(transaction.hash)
    if (!attempt) world.funds.moved(transaction.from, block.number)
    const kind = attempt ? `${attempt.kind} of ${attempt.transaction_id.slice(-6)}` : 'a foreign transaction'
    return `${transaction.nonce}=${transaction.hash.slice(2, 8)} (${kind}${succeeded ? '' : ', reverts'})`
  })
  history.note(`block ${block.number}, base fee ${block.baseFee}: ${taken.join(', ') || 'empty'}`)
  moveTags(world)
  world.truth.moved()
  world.patience?.moved()
  for (const node of world.nodes) {
    if (node.lags) continue
    timeline.after(state.faulty ? dice.between(0, 400) : 1, () => follow(world, node))
  }
}

/** Moves the node to the canonical head. */
export function follow(world: World, node: SimNode): void {
  if (node.lags) return
  const head = world.blocks.canonical()
  node.announced = undefined
  if (node.head === head) return
  world.truth.nodeMoves(node, head)
  moveTo(world.node, node, head)
  node.tags = world.state.tags
}

/** Changes the block time at its block, and back when its time is over. */
function varyPace({ scenario, state, blocks, timeline, history, marks }: World): void {
  const { paceChange, blocktimeMs: usualMs } = scenario
  if (!paceChange || !state.faulty) return
  const { atBlock, blocktimeMs, lastsMs } = paceChange
  if (blocks.canonical().number >= atBlock) state.paceChangedMs = Math.min(state.paceChangedMs, timeline.now())
  const isChanged = timeline.now() >= state.paceChangedMs && timeline.now() < state.paceChangedMs + lastsMs
  const nowMs = isChanged ? blocktimeMs : usualMs
  if (nowMs === state.blocktimeMs) return
  state.blocktimeMs = nowMs
  marks.note('pace-changed')
  history.note(`a block each ${nowMs} ms from now on`)
}

/** Makes a block about every block time, until the run ends. */
export function keepMining(world: World): void {
  varyPace(world)
  const { blocktimeMs } = world.state
  const wait = world.state.faulty ? world.dice.between(blocktimeMs / 4, blocktimeMs * 2) : blocktimeMs
  world.timeline.after(wait, () => {
    const { drought } = world.state
    if (drought?.kind === 'blocks') {
      if (world.timeline.now() >= drought.untilMs) world.state.drought = undefined
    } else mine(world)
    keepMining(world)
  })
}
