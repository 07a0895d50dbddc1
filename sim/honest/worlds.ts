// Worlds without faults and without lies, each with one oddity that real networks have.
import { ancestorAt } from '../chain/blocks.ts'
import { moveTo } from '../chain/node.ts'
import { type Profile, profiles } from '../chain/profiles.ts'
import { ethereum } from '../chain/sequencer.ts'
import { follow, reorganize } from '../mining.ts'
import { allAnswered, oddsOfFaults, requestOutcomes } from '../outcomes.ts'
import { type Action, actions } from '../scenario/actions.ts'
import { drawFees } from '../scenario/fees.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { World } from '../world.ts'

export interface HonestWorld {
  readonly name: string
  readonly scenario: Scenario
  readonly blocks: number
  /** After each block. */
  readonly afterBlock?: (world: World, block: number) => void
}

const zeros = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Readonly<Record<N, number>>
const named = (client: string) => profiles.filter((each) => each.client === client)
const two: readonly Profile[] = [...named('geth'), ...named('reth')]

const plain: Scenario = {
  blocktimeMs: 12_000,
  configuredBlocktimeMs: 12_000,
  reorgMax: 0,
  confirmations: 3,
  relayers: 1,
  eip1559: true,
  policies: { maxInFlight: 16, gasPriceCap: undefined, paused: [false, false], others: {} },
  operator: undefined,
  profiles: two,
  kind: ethereum,
  transactionsPerBlockMax: 20,
  resurfacing: 0,
  weights: zeros<Action>(actions),
  faults: zeros(requestOutcomes),
  sendOutcomeOdds: allAnswered,
  invalidPayloads: 0,
  ending: 'drain',
  gaps: { pendingCounts: two.map(() => 'pool'), tightGapFillers: 0 },
  restores: [],
  fees: drawFees(() => undefined),
  signerChanges: undefined,
  repeatsPayloads: false,
  custody: undefined,
  hasBursts: false,
  bulkShare: undefined,
  presign: undefined,
  liar: undefined,
  replicas: undefined,
  brokenEnd: undefined,
  isPunctual: true,
}

const reorganized = (depth: number): HonestWorld => ({
  name: `a reorganization of ${depth} ${depth === 1 ? 'block' : 'blocks'} every 20 blocks`,
  scenario: { ...plain, reorgMax: depth, confirmations: depth + 1 },
  blocks: 120,
  afterBlock(world, block) {
    if (block % 20 !== 19) return
    reorganize(world, depth)
    // All of them see it at once.
    for (const node of world.nodes) {
      node.lags = false
      follow(world, node)
    }
  },
})

const lagBlocks = 3
/** Longer than an hour. */
const hourBlocks = 400
const outage = { from: 50, to: 350 }
const keptBlocks = 16

export const honestWorlds: readonly HonestWorld[] = [
  { name: 'two endpoints, nothing odd', scenario: plain, blocks: 120 },
  ...[1, 2, 3, 6, 12].map(reorganized),
  {
    name: `the second endpoint is ${lagBlocks} blocks behind`,
    scenario: plain,
    blocks: 120,
    afterBlock(world, block) {
      const node = world.nodes[1]
      if (!node) return
      node.lags = true
      const head = ancestorAt(world.blocks.canonical(), block - lagBlocks)
      if (head && head.number > node.head.number) moveTo(world.node, node, head)
    },
  },
  {
    name: 'the second endpoint is down for an hour',
    scenario: { ...plain, witnessSilentMs: 600_000 },
    blocks: hourBlocks,
    afterBlock({ network, history }, block) {
      const isDown = block >= outage.from && block < outage.to
      const outcomeOdds = isDown ? oddsOfFaults({ ...zeros(requestOutcomes), refused: 1 }, 1) : allAnswered
      if (block === outage.from || block === outage.to) history.note(`n1 is ${isDown ? 'down' : 'up again'}`)
      network.outcomeOdds = [allAnswered, outcomeOdds]
    },
  },
  {
    name: `pruned nodes, which keep ${keptBlocks} blocks`,
    scenario: { ...plain, keptBlocks },
    blocks: 120,
  },
  { name: 'blocks of 100 ms', scenario: { ...plain, blocktimeMs: 100, configuredBlocktimeMs: 100 }, blocks: 1_200 },
  {
    name: 'a load balancer over two backends, the second a block or two behind',
    scenario: { ...plain, isBalanced: true },
    blocks: 120,
    afterBlock(world, block) {
      const node = world.nodes[1]
      if (!node) return
      node.lags = true
      const head = ancestorAt(world.blocks.canonical(), block - world.feesDice.between(1, 2))
      if (head && head.number > node.head.number) moveTo(world.node, node, head)
    },
  },
]
