// What a seed decides before anything happens: the chain's habits, the nodes, the relayer's policies, the faults.

import type { Dice } from '../tooling/dice.ts'
import { type BrokenPart, drawBrokenEnd } from './broken-end.ts'
import type { PendingCount } from './chain/node.ts'
import { type Profile, profiles, sequencer } from './chain/profiles.ts'
import type { ReserveRules } from './chain/reserve.ts'
import { type ChainKind, ethereum } from './chain/sequencer.ts'
import { drawOperator, drawOthers, drawPolicies, type Operator, type Policies } from './draw-policies.ts'
import { drawFees, type FeeWorld } from './fees.ts'
import { drawFinality, type FinalityWorld } from './finality.ts'
import { drawLiar, type Liar, lieKinds } from './lies/lies.ts'
import { allAnswered, type OutcomeOdds, type RequestOutcome, requestOutcomes } from './network.ts'
import { type CustodyKind, custodyKinds } from './process/custody.ts'

export const actions = [
  'send',
  'cancel',
  'cancelPending',
  'replace',
  'policies',
  'nothing',
  'blocks',
  'reorg',
  'lag',
  'catchUp',
  'changeFaults',
  'evict',
  'restartPool',
  'fillPool',
  'spike',
  'emptyBalance',
  'refill',
  'foreign',
  'revert',
  'jumpClock',
  'crash',
  'pause',
  'restart',
] as const
export type Action = (typeof actions)[number]

export interface Scenario {
  /** Between two blocks, about. */
  readonly blocktimeMs: number
  /** What the service is told of it, which may be wrong. */
  readonly configuredBlocktimeMs: number
  /** No reorg is deeper, but for those that take back safe blocks. */
  readonly reorgMax: number
  /** Deeper than every reorg, where there is no other finality. */
  readonly confirmations: number
  /** Absent: at the confirmations. */
  readonly finality?: FinalityWorld
  readonly relayers: number
  readonly eip1559: boolean
  /** At first, and again once the faults stop. */
  readonly policies: Policies
  readonly operator: Operator | undefined
  readonly profiles: readonly Profile[]
  readonly kind: ChainKind
  readonly transactionsPerBlockMax: number
  /** How likely a block holds something that a node once received and no pool has any more. */
  readonly resurfacing: number
  readonly weights: Readonly<Record<Action, number>>
  /** OutcomeOdds is drawn so bad. */
  readonly faults: Readonly<Record<RequestOutcome, number>>
  /** What broadcasts meet besides, until the faults stop: nodes may well answer questions, and hang over every send. */
  readonly sendOutcomeOdds: OutcomeOdds
  /** Of about nine payloads so many are invalid: their clients name less gas than they need. */
  readonly invalidPayloads: number
  /**
   * - `drain`: all is waited for. `cancelAll`: everything pending is canceled first.
   * - `plateau`: likewise, with the base fee risen above the sends' cap, and staying there.
   */
  readonly ending: 'drain' | 'cancelAll' | 'plateau'
  readonly gaps: Gaps
  /** The disk is copied, and put back later. */
  readonly restores: readonly Restore[]
  readonly fees: FeeWorld
  /** How often a step changes how the service answers that holds the keys. Absent: they are in memory. */
  readonly signerChanges: number | undefined
  /** Every second PUT names the payload that stands there. */
  readonly repeatsPayloads: boolean
  /** What else holds the service up that holds the keys. Absent: nothing. */
  readonly custody: { readonly kind: CustodyKind } | undefined
  /** Clients send many at once, and `max_in_flight` is mostly not set. */
  readonly hasBursts: boolean
  /** A longer queue is canceled in shares of so many. Absent: of so many as in production, which no queue reaches. */
  readonly bulkShare: { readonly transactions: number; readonly breathMs: number } | undefined
  /** No-ops are pre-signed, and the keys are out of reach for long now and then. Absent: neither. */
  readonly presign: Presigning | undefined
  /** The node that lies, and its kind of lie. Absent: every node is honest. */
  readonly liar: Liar | undefined
  /** Several processes share the database, and the relayers among them. Absent: one has it to itself. */
  readonly replicas: Replicas | undefined
  /** What stays broken when the faults stop. Absent: nothing. */
  readonly brokenEnd: BrokenPart | undefined
  /** Nodes have no state, body or receipt of blocks that are so far below the head. Absent: all of them. */
  readonly keptBlocks?: number
  /** The service has one URL, and each request goes to any of the nodes. */
  readonly isBalanced?: boolean
  /** Nodes have whole receipts at once and take batches of any size, and no request is on its way for longer than 120 ms. */
  readonly isPunctual?: boolean
  /** The rules of gas change. Absent: they do not, and the service is given them. */
  readonly gasFork?: GasFork
  /** How likely the slot of a block stays empty, after nodes have shown the block. Absent: never. */
  readonly emptySlots?: number
  /** The chain executes blocks after it orders them. Absent: at once. */
  readonly reserve?: Reserve
  /** Owners look at idle relayers, and store what they last observed. */
  readonly surveys?: true
  /** How likely a step sweeps an account, and half as likely one ends a pause. Absent: never. */
  readonly sweeps?: number
  /** How likely a step cancels within a bound of cost, or sets another one. Absent: never. */
  readonly costBounds?: number
  /** How many different `external_id` the sends of a relayer have. Absent: sends have no names. */
  readonly externalIds?: number
  /** How likely a send or a PUT requests a hold. Absent: never. */
  readonly holds?: number
  /** How likely a step makes a bulk cancellation with a filter. Absent: never. */
  readonly bulkObjects?: number
  /** How likely such a bulk cancellation has a limit of cost, or pauses its relayers. Absent: never. */
  readonly bulkTerms?: number
  /** How likely a step requests the preview of a bulk cancellation, or uses one. Absent: never. */
  readonly bulkPreviews?: number
  /** Every relayer is under four eyes, and how likely a step releases something. Absent: none is. */
  readonly fourEyes?: number
  /** How likely a step pauses the network, or lifts that. Absent: never. */
  readonly networkPauses?: number
  /** Absent: short, as a run would be thousands of blocks longer. */
  readonly witnessSilentMs?: number
}

/** Where in the run it comes near, from 0 to 1, and how many blocks later it is there. */
export interface GasFork {
  readonly at: number
  readonly delayBlocks: number
}

/** `isSteady`: no reorganization, no theft and no foreign transaction excuses a payload that reverts. */
export interface Reserve extends ReserveRules {
  readonly isSteady: boolean
}

export interface Presigning {
  readonly levels: number
  /** How likely a step begins a long outage. */
  readonly outages: number
}

/** What makes it hard to know of a nonce that is missing, and to fill it. */
export interface Gaps {
  /** By node. */
  readonly pendingCounts: readonly PendingCount[]
  /** Of sixteen gap fillers so many are called invalid, until some time after the faults stopped. */
  readonly tightGapFillers: number
}

/** The disk is copied, and put back later: where in the run, from 0 to 1. */
export interface Restore {
  readonly copied: number
  readonly putBack: number
  /** Hundreds of blocks are made before it is put back. */
  readonly isLong: boolean
  /** In between, clients take back what the copy holds as open, once it has a nonce. */
  readonly takesBack: boolean
}

/** Draws that can be left out, or forced upon every seed. */
export const features = [
  'traffic',
  'minimumTips',
  'freeGas',
  'shortMoney',
  'spikes',
  'droughts',
  'doubtfulSends',
  'anyRestores',
  'finality',
  'fcfs',
  // First come, first served, with an answer before the order, or with a receipt.
  'earlyHashes',
  'orderReceipts',
  // First come, first served, and by tips from some time on, and back.
  'tipSwitch',
  // Blocks above a height have the gas rules of a fork, which reorganizations undo.
  'gasFork',
  // Nodes show a block, and its payload is withheld (EIP-7732).
  'emptySlots',
  // Blocks are executed after they are ordered: gas in flight fits in a reserve, and payments count late.
  'reserve',
  // An operator sweeps accounts.
  'sweeps',
  // Cancellations have bounds of cost.
  'costLimits',
  // An operator pauses the whole network, and lifts that.
  'networkPauses',
  // Sends on hold, policies that demand it, and releases.
  'sendHolds',
  // Bulk cancellations with filters, over some relayers.
  'bulkObjects',
  // Some of them with a limit of cost, or with a pause.
  'bulkTerms',
  // Previews of bulk cancellations, and the use of their tokens.
  'bulkPreviews',
  // Relayers under four eyes, and keys that release by right and wrong digests.
  'fourEyes',
  // Owners look at idle relayers.
  'surveys',
  // Sends have names, and few different ones.
  'labels',
  'sequencerPool',
  'l1Gas',
  'remoteSigners',
  'presign',
  'custody',
  'l1Fee',
  'bursts',
  'bulkShares',
  'retention',
  'shrinking',
  'samePayloads',
  // A node that lies, a replica or the key service stays broken to the end.
  'brokenEnd',
  // One node gives false answers of this kind until the faults stop. A seed has at most one kind.
  'highCount',
  'highPrice',
  'anothersReceipt',
  'invalid',
  'unknownWords',
  'falseInclusion',
  'holds',
  // By one of three or more.
  'inventedHeads',
  'wrongBalance',
  'inventedCode',
  'wrongEstimate',
  'wrongTimes',
  // Where two nodes report the tag that makes a block final.
  'tagsAhead',
  'anotherChain',
  'farHead',
  'nonceTooLow',
  'alreadyKnown',
  'underpriced',
  'acceptsAndDrops',
  'nullReceipts',
  'lowCount',
] as const
export type Feature = (typeof features)[number]

/** How often a seed has each. */
export type Drawn = Readonly<Record<Feature, number>>

export const drawnUsually: Drawn = {
  traffic: 0.4,
  minimumTips: 0.2,
  freeGas: 0.06,
  shortMoney: 0.3,
  spikes: 0.3,
  droughts: 0.2,
  doubtfulSends: 0.2,
  // A copy undoes final cancellations, and another that is put back later knows of them.
  anyRestores: 0.1,
  // A status follows the confirmations, a verdict a later threshold.
  finality: 0.2,
  fcfs: 0.05,
  earlyHashes: 0.02,
  orderReceipts: 0.02,
  tipSwitch: 0.02,
  // Only where it is forced.
  gasFork: 0,
  networkPauses: 0,
  costLimits: 0.08,
  emptySlots: 0.02,
  reserve: 0.02,
  sweeps: 0.03,
  sendHolds: 0.03,
  bulkObjects: 0.15,
  // Of the seeds with such bulk cancellations.
  bulkTerms: 0.5,
  bulkPreviews: 0.01,
  fourEyes: 0.03,
  surveys: 0.1,
  labels: 0.03,
  sequencerPool: 0.03,
  l1Gas: 0.05,
  remoteSigners: 0.08,
  // Of the seeds with remote signers.
  presign: 0.4,
  // A share of the seeds without remote signers. Custody gives them remote signers.
  custody: 0.03,
  l1Fee: 0.03,
  // Without max_in_flight, and with more to send than every node keeps. Such runs are long: only on request.
  bursts: 0,
  // A bulk cancellation writes a few of its queue at once.
  bulkShares: 0.3,
  // Beside its reads, copies of the disk without the rows that retention may remove.
  retention: 0.1,
  // A PUT repeats a payload, and the service may sign the same bytes again.
  samePayloads: 0.1,
  // Attempts shrink while the service runs. Each share is one more commit at which a process may die.
  shrinking: 0.05,
  // Only where it is forced.
  brokenEnd: 0,
  highCount: 0.04,
  highPrice: 0.04,
  anothersReceipt: 0.04,
  invalid: 0.04,
  unknownWords: 0.04,
  falseInclusion: 0.04,
  // Only where it is forced.
  holds: 0,
  inventedHeads: 0,
  wrongBalance: 0,
  inventedCode: 0,
  wrongEstimate: 0,
  wrongTimes: 0,
  tagsAhead: 0,
  anotherChain: 0,
  farHead: 0,
  nonceTooLow: 0,
  alreadyKnown: 0,
  underpriced: 0,
  acceptsAndDrops: 0,
  nullReceipts: 0,
  lowCount: 0,
}

export const replicaActions = ['breakSession', 'cutOff', 'freeze', 'join', 'leave'] as const
export type ReplicaAction = (typeof replicaActions)[number]

export interface Replicas {
  readonly atFirst: number
  readonly most: number
  /** How often a step is one of these. */
  readonly share: number
  readonly weights: Readonly<Record<ReplicaAction, number>>
  /** How likely a unit of work is still on its way when the process believes it sent. */
  readonly slowUnits: number
}

const usual: Readonly<Record<Action, number>> = {
  send: 30,
  cancel: 22,
  cancelPending: 3,
  replace: 6,
  policies: 1,
  nothing: 10,
  blocks: 4,
  reorg: 5,
  lag: 4,
  catchUp: 5,
  changeFaults: 8,
  evict: 4,
  restartPool: 1,
  fillPool: 2,
  spike: 1.5,
  emptyBalance: 1,
  refill: 2,
  foreign: 3,
  revert: 2,
  jumpClock: 1,
  crash: 6,
  pause: 3,
  restart: 1,
}

/** Each seed leaves some things out and overdoes others: rare mixtures come up far more often so. */
export function drawScenario(streamOf: (name: string) => Dice, odds: Drawn): Scenario {
  const [sharing, pacing] = [streamOf('replicas'), streamOf('pace')]
  const has = (feature: Feature): Dice | undefined => {
    const dice = streamOf(feature)
    return dice.chance(odds[feature]) ? dice : undefined
  }
  const prices = drawFees(has)
  const doubts = has('doubtfulSends')
  const sendOutcomeOdds = doubts ? drawSendOutcomeOdds(doubts) : allAnswered
  // What a node calls invalid after an answer that was lost has an end of its own.
  const invalidPayloads = doubts?.chance(0.5) ? 2 : 0.3
  const anyRestores = has('anyRestores')
  const restores = anyRestores ? drawAnyRestores(anyRestores) : drawRestore(streamOf('restore'))
  const paced = withBursts(drawPace(pacing, drawAlone(streamOf('scenario'), restores, prices)), has('bursts'))
  const drawn = withFinality(operated(paced, streamOf('operator'), streamOf('skipping')), has('finality'))
  const remoteSigners = has('remoteSigners')?.pick([0.05, 0.2])
  const presign = remoteSigners === undefined ? undefined : drawPresigning(has('presign'))
  // Where data on L1 has a fee, money is what a payload waits for.
  const custody = (remoteSigners ?? has('l1Fee')) === undefined ? drawCustody(has('custody')) : undefined
  const signing = {
    signerChanges: remoteSigners ?? custody?.signerChanges,
    custody,
    presign,
    bulkShare: drawBulkShare(has('bulkShares')),
  }
  const repeatsPayloads = has('samePayloads') !== undefined
  const unkind = {
    ...drawn,
    sendOutcomeOdds,
    invalidPayloads,
    repeatsPayloads,
    ...signing,
    gaps: drawGaps(streamOf('gaps'), drawn),
  }
  const forking = withGasFork(ofKind(unkind, drawKind(has, unkind)), has('gasFork'))
  const shaped = withEmptySlots(withReserve(forking, has('reserve')), has('emptySlots'))
  const operating = {
    ...shaped,
    ...drawNetworkPauses(has('networkPauses')),
    ...drawHolds(has('sendHolds')),
    ...drawFourEyes(has('fourEyes')),
  }
  const truthful = {
    ...operating,
    ...drawExternalIds(has('labels'), operating),
    ...drawSweeps(has('sweeps')),
    ...drawCostBounds(has('costLimits')),
    ...drawBulkObjects(has('bulkObjects'), has('bulkTerms')),
    ...drawBulkPreviews(has('bulkPreviews')),
    ...(has('surveys') && { surveys: true as const }),
  }
  const alone = { ...truthful, liar: drawOneLiar(has, streamOf('far counts'), truthful) }
  const replicas = restores.length > 0 ? undefined : drawReplicas(sharing)
  const broken = has('brokenEnd')
  if (!replicas) return { ...alone, replicas, brokenEnd: drawBrokenEnd(broken, { ...alone, replicas }) }
  // Replicas look around all the time: with shorter blocks a run is shorter.
  const shared = { ...alone, replicas, relayers: sharing.pick([1, 2, 2]), blocktimeMs: sharing.pick([1_000, 2_000]) }
  const brokenEnd = drawBrokenEnd(broken, shared)
  return { ...shared, brokenEnd, configuredBlocktimeMs: misconfigured(pacing, shared.blocktimeMs) }
}

/** A copy that was put back learns what it lost from nodes alone, and a sequencer is one process behind all of its nodes. */
function drawOneLiar(
  has: (feature: Feature) => Dice | undefined,
  farDice: Dice,
  { restores, kind, profiles: nodes, finality }: Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>,
): Liar | undefined {
  const drawn = lieKinds.flatMap((each) => {
    const dice = has(each)
    return dice ? [drawLiar(each, dice, farDice, nodes.length)] : []
  })
  const possible = drawn.filter(({ kind: lie }) => {
    if (lie === 'inventedHeads') return nodes.length > 2
    if (lie === 'tagsAhead') return isByTag(finality) && hasTwoWitnesses(nodes.length, finality)
    return lie !== 'falseInclusion' || hasTwoWitnesses(nodes.length, finality)
  })
  return restores.length > 0 || kind.isFcfs ? undefined : possible[0]
}

function isByTag(finality: FinalityWorld | undefined): finality is FinalityWorld {
  return finality !== undefined && typeof finality.rule !== 'number'
}

/** The only node's consistent story shows nowhere. */
function hasTwoWitnesses(nodes: number, finality: FinalityWorld | undefined): boolean {
  if (!isByTag(finality)) return nodes > 1
  return finality.answers.filter((answer) => answer === 'block').length > 1
}

/** Blocks take some of what comes, or all of it. */
function withBursts<S extends Alone>(scenario: S, dice: Dice | undefined): S & Pick<Scenario, 'hasBursts'> {
  if (!dice) return { ...scenario, hasBursts: false }
  const policies = { ...scenario.policies, maxInFlight: undefined }
  // A block holds what one node has. With a single node, everything in flight may be in the next one.
  const nodes = dice.chance(0.7) ? 1 : scenario.profiles.length
  return {
    ...{ ...scenario, hasBursts: true, policies, profiles: scenario.profiles.slice(0, nodes) },
    transactionsPerBlockMax: dice.pick([20, 60, 200]),
  }
}

function drawBulkShare(dice: Dice | undefined): Scenario['bulkShare'] {
  return dice && { transactions: dice.pick([1, 1, 2, 4]), breathMs: dice.pick([1, 50, 500]) }
}

function drawCustody(dice: Dice | undefined) {
  return dice && { kind: dice.pick(custodyKinds), signerChanges: dice.pick([0, 0, 0.05]) }
}

function drawPresigning(dice: Dice | undefined): Presigning | undefined {
  return dice && { levels: dice.pick([1, 2, 2]), outages: dice.pick([0, 0.01, 0.03]) }
}

function withFinality<S extends Alone>(scenario: S, dice: Dice | undefined): S {
  if (!dice) return scenario
  const { profiles: nodes, restores, weights } = scenario
  const depths = drawFinality(dice, { nodes: nodes.length, restored: restores.length > 0 })
  return { ...scenario, ...depths, weights: { ...weights, reorg: Math.max(usual.reorg, weights.reorg) } }
}

/** A copy that was put back is a matter of its own: what a sequencer has ordered, no pool shows. */
function drawKind(
  has: (feature: Feature) => Dice | undefined,
  { restores, fees }: Pick<Scenario, 'restores' | 'fees'>,
): ChainKind {
  const [early, receipts, switches] = [has('earlyHashes'), has('orderReceipts'), has('tipSwitch')]
  const [pool, l1Gas, l1Fee] = [has('sequencerPool'), has('l1Gas'), has('l1Fee')]
  const fcfs = has('fcfs') ?? early ?? receipts ?? switches
  if (restores.length > 0) return ethereum
  // Either, and where gas is free an account may hold nothing.
  const hasL1Fee = l1Fee !== undefined && (fcfs ?? l1Gas) === undefined && !fees.isFree
  return {
    isFcfs: fcfs !== undefined,
    answers: early ? 'beforeOrder' : receipts ? 'withReceipt' : 'afterOrder',
    switchesOrder: switches !== undefined,
    hasSequencer: (fcfs ?? pool) !== undefined,
    hasL1Gas: l1Gas !== undefined,
    hasL1Fee,
  }
}

function ofKind<S extends Omit<Scenario, 'kind' | 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  kind: ChainKind,
): S & { kind: ChainKind } {
  const { weights, gaps, fees, profiles: nodes } = scenario
  const common = { ...scenario, kind, gaps: kind.hasL1Gas ? { ...gaps, tightGapFillers: 0 } : gaps }
  if (!kind.isFcfs) return common
  // A sequencer keeps what it has ordered, and orders it once.
  const impossible = { reorg: 0, evict: 0, restartPool: 0, fillPool: 0, emptyBalance: 0, jumpClock: 0, lag: 0 }
  return {
    ...common,
    ...{ profiles: nodes.map(() => sequencer), resurfacing: 0, reorgMax: 0, finality: undefined },
    weights: { ...weights, ...impossible },
    gaps: { ...gaps, tightGapFillers: 0 },
    fees: { ...fees, poolTipMin: 0n, builderTipMin: 0n, droughts: 0 },
  }
}

/** Where gas has a part for L1, or a sequencer orders transactions, gas has rules of its own. */
function withGasFork<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, weights } = scenario
  if (!dice || kind.isFcfs || kind.hasL1Gas) return scenario
  const gasFork = { at: dice.between(10, 80) / 100, delayBlocks: dice.pick([0, 0, 1, 3]) }
  return { ...scenario, gasFork, weights: { ...weights, reorg: 3 * weights.reorg } }
}

function drawBulkObjects(dice: Dice | undefined, terms: Dice | undefined): Pick<Scenario, 'bulkObjects' | 'bulkTerms'> {
  if (!dice) return {}
  return { bulkObjects: dice.pick([0.02, 0.05, 0.1]), ...(terms && { bulkTerms: terms.pick([0.3, 0.6, 1]) }) }
}

function drawBulkPreviews(dice: Dice | undefined): Pick<Scenario, 'bulkPreviews'> {
  return dice ? { bulkPreviews: dice.pick([0.05, 0.1, 0.2]) } : {}
}

function drawSweeps(dice: Dice | undefined): Pick<Scenario, 'sweeps'> {
  return dice ? { sweeps: dice.pick([0.02, 0.05, 0.2]) } : {}
}

function drawCostBounds(dice: Dice | undefined): Pick<Scenario, 'costBounds'> {
  return dice ? { costBounds: dice.pick([0.05, 0.2, 0.5]) } : {}
}

/** Not where a reorganization takes back what was final, and with it the end of a transaction. */
function drawExternalIds(
  dice: Dice | undefined,
  { finality }: Pick<Scenario, 'finality'>,
): Pick<Scenario, 'externalIds'> {
  return dice && finality?.rule !== 'safe' ? { externalIds: dice.pick([1, 3, 10]) } : {}
}

function drawFourEyes(dice: Dice | undefined): Pick<Scenario, 'fourEyes'> {
  return dice ? { fourEyes: dice.pick([0.3, 0.6, 0.9]) } : {}
}

function drawHolds(dice: Dice | undefined): Pick<Scenario, 'holds'> {
  return dice ? { holds: dice.pick([0.1, 0.3, 0.8]) } : {}
}

function drawNetworkPauses(dice: Dice | undefined): Pick<Scenario, 'networkPauses'> {
  return dice ? { networkPauses: dice.pick([0.02, 0.1, 0.3]) } : {}
}

/** Depths may count the block that is shown in vain, so what protects from a reorganization is a block more. */
function withEmptySlots<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, confirmations, finality } = scenario
  // Where payloads must not revert, no block is taken back either.
  if (!dice || kind.isFcfs || scenario.reserve) return scenario
  const isByDepth = finality !== undefined && typeof finality.rule === 'number'
  return {
    ...{ ...scenario, confirmations: confirmations + 1, emptySlots: dice.pick([0.05, 0.2, 0.5]) },
    ...(isByDepth && { finality: { ...finality, rule: Number(finality.rule) + 1 } }),
  }
}

const steady = { reorg: 0, emptyBalance: 0, foreign: 0, jumpClock: 0 }

/** Money is around the reserve, or far above it, and prices leave room for a no-op within it. */
function withReserve<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, fees, weights } = scenario
  if (!dice || fees.isFree || kind.isFcfs || kind.hasSequencer || kind.hasL1Gas || kind.hasL1Fee || scenario.gasFork)
    return scenario
  const { gasPriceCap = 0n } = scenario.policies
  // A no-op has to fit in it at the price of the end, too.
  const price = scenario.ending === 'plateau' ? 5n * gasPriceCap : 2n * fees.firstBaseFee
  const reserve = 30_000n * (price + fees.poolTipMin) * BigInt(dice.pick([5, 20, 100]))
  const balance = (reserve * BigInt(dice.pick([4, 5, 6, 1_000]))) / 4n
  const isSteady = dice.chance(0.5)
  return {
    ...scenario,
    reserve: { reserve, lagBlocks: 3, isSteady },
    fees: { ...fees, balance },
    weights: { ...weights, refill: Math.max(4, weights.refill), ...(isSteady && steady) },
    ...(isSteady && { resurfacing: 0 }),
  }
}

/** Chains of every pace, of which the service is told another. */
function drawPace<T extends Pick<Scenario, 'blocktimeMs'>>(dice: Dice, scenario: T): T {
  const blocktimeMs = dice.pick([scenario.blocktimeMs, scenario.blocktimeMs, 100, 250, 500, 5_000, 15_000])
  return { ...scenario, blocktimeMs, configuredBlocktimeMs: misconfigured(dice, blocktimeMs) }
}

/** By up to fifty times, either way. */
function misconfigured(dice: Dice, blocktimeMs: number): number {
  const factor = dice.pick([1, 1, 50, 1 / 50, 50 ** (dice.between(-100, 100) / 100)])
  return Math.max(1, Math.round(blocktimeMs * factor))
}

/** One seed in five. */
function drawReplicas(dice: Dice): Replicas | undefined {
  if (!dice.chance(0.2)) return undefined
  const weights = { breakSession: 3, cutOff: 3, freeze: 6, join: 2, leave: 2 }
  for (const action of replicaActions) if (dice.chance(0.25)) weights[action] = 0
  const atFirst = dice.pick([1, 2, 2, 3])
  return {
    atFirst,
    most: Math.max(2, atFirst),
    share: Object.values(weights).some((weight) => weight > 0) ? dice.pick([0.05, 0.1, 0.2]) : 0,
    weights,
    slowUnits: dice.pick([0, 0.02, 0.1]),
  }
}

function operated<S extends Alone>(scenario: S, dice: Dice, skipping: Dice): S {
  const operator = drawOperator(dice, skipping)
  // Where nobody has any money there is none to keep back.
  if (!operator || scenario.fees.isFree) return scenario
  const { weights } = scenario
  const policies = { ...scenario.policies, others: drawOthers(dice, operator) }
  const changes = { ...weights, policies: dice.pick([0, 2, 6]) }
  const refills = operator.funds === undefined ? changes : { ...changes, refill: Math.max(3, weights.refill) }
  const steady = { ...refills, reorg: 0, emptyBalance: 0, foreign: 0 }
  const fees = { ...scenario.fees, balance: operator.funds ?? scenario.fees.balance }
  return { ...scenario, fees, operator, policies, weights: operator.isSteady ? steady : refills }
}

type Alone = Omit<
  Scenario,
  | 'gaps'
  | 'sendOutcomeOdds'
  | 'invalidPayloads'
  | 'repeatsPayloads'
  | 'kind'
  | 'signerChanges'
  | 'presign'
  | 'custody'
  | 'hasBursts'
  | 'bulkShare'
  | 'liar'
  | 'brokenEnd'
>

function drawAlone(dice: Dice, restores: readonly Restore[], fees: FeeWorld): Alone {
  const reorgMax = dice.pick([0, 1, 2, 3, 5, 8])
  const weights = { ...usual }
  for (const action of actions) {
    if (action !== 'send' && dice.chance(0.25)) weights[action] = 0
    else if (dice.chance(0.15)) weights[action] *= 4
  }
  if (reorgMax === 0) weights.reorg = 0
  // A node that is behind, alone, or a clock that is wrong hides what the copy has lost: nobody could know then.
  if (restores.length > 0) Object.assign(weights, { lag: 0, jumpClock: 0 })
  const faults = Object.fromEntries(
    requestOutcomes.map((outcome) => [outcome, outcome === 'answered' || dice.chance(0.4) ? 0 : dice.between(1, 10)]),
  ) as Record<RequestOutcome, number>
  const capped = dice.chance(0.5)
  const alone: Alone = {
    blocktimeMs: dice.pick([1_000, 2_000, 12_000, 12_000]),
    configuredBlocktimeMs: 0,
    reorgMax,
    confirmations: reorgMax + dice.between(1, 3),
    relayers: dice.chance(0.25) ? 2 : 1,
    eip1559: !dice.chance(0.2),
    policies: drawPolicies(dice, { capped, mayPause: false }),
    profiles: Array.from({ length: dice.between(1, 4) }, () => dice.pick(profiles)),
    transactionsPerBlockMax: dice.pick([1, 2, 4, 20]),
    resurfacing: dice.pick([0, 0, 0.05, 0.3]),
    weights,
    faults,
    ending: capped
      ? dice.pick(['drain', 'cancelAll', 'plateau', 'plateau'])
      : dice.pick(['drain', 'drain', 'cancelAll']),
    restores,
    fees,
    operator: undefined,
    replicas: undefined,
  }
  // No base fee rises above a cap where there is none.
  return fees.isFree && alone.ending === 'plateau' ? { ...alone, ending: 'cancelAll' } : alone
}

/** A copy that was put back is told of what it lost by pools alone: where they hide it, nobody could know. */
function drawGaps(dice: Dice, { profiles: nodes, restores }: Pick<Scenario, 'profiles' | 'restores'>): Gaps {
  const [hides, isTight] = [dice.chance(0.25), dice.chance(0.15)]
  if (restores.length > 0) return { pendingCounts: nodes.map(() => 'pool'), tightGapFillers: 0 }
  const weights = { pool: 1, error: 3, latest: 1 } as const
  return {
    pendingCounts: nodes.map(() => (hides ? dice.weighted(weights) : 'pool')),
    tightGapFillers: isTight ? dice.pick([8, 16]) : 0,
  }
}

function drawRestore(dice: Dice): readonly Restore[] {
  if (!dice.chance(0.2)) return []
  const copied = dice.between(10, 80) / 100
  const soon = copied + dice.between(1, 20) / 100
  const isLong = dice.chance(0.5)
  if (dice.chance(0.5)) return [{ copied, putBack: soon, isLong, takesBack: false }]
  // Long enough for verdicts to become final that the copy knows nothing of.
  return [{ copied, putBack: Math.min(0.97, soon + dice.between(10, 40) / 100), isLong, takesBack: true }]
}

/** Once or twice, at any times: the second copy may be older than the first, or be made between, or after it was put back. */
function drawAnyRestores(dice: Dice): readonly Restore[] {
  return Array.from({ length: dice.pick([1, 2, 2]) }, () => {
    const copied = dice.between(0, 95)
    const putBack = dice.between(copied + 1, 99) / 100
    return { copied: copied / 100, putBack, isLong: dice.chance(0.3), takesBack: dice.chance(0.3) }
  })
}

/** All that leaves it unclear what became of the bytes, and what makes it clear only in part. */
const doubtfulOutcomes: readonly RequestOutcome[] = [
  'refused',
  'lost',
  'unanswered',
  'late',
  'doubled',
  'unbatched',
  'partial',
]
const batchOutcomes: readonly RequestOutcome[] = ['unbatched', 'refused']

function drawSendOutcomeOdds(dice: Dice): OutcomeOdds {
  // What a refused batch had done is in doubt, though no connection be made for its sends one by one.
  const some = dice.chance(0.3) ? batchOutcomes : doubtfulOutcomes.filter(() => dice.chance(0.6))
  const faults = Object.fromEntries(
    requestOutcomes.map((outcome) => [outcome, some.includes(outcome) ? dice.between(1, 10) : 0]),
  ) as Record<RequestOutcome, number>
  return drawOutcomeOdds(faults, dice.pick([0.1, 0.3, 0.6]))
}

/** `badness` from 0, fine, to 1, nothing but faults. */
export function drawOutcomeOdds(faults: Scenario['faults'], badness: number): OutcomeOdds {
  const sum = requestOutcomes.reduce((total, outcome) => total + faults[outcome], 0)
  const bad = sum === 0 ? 0 : badness
  return Object.fromEntries(
    requestOutcomes.map((outcome) => [
      outcome,
      outcome === 'answered' ? 1 - bad : sum === 0 ? 0 : (bad * faults[outcome]) / sum,
    ]),
  ) as unknown as OutcomeOdds
}
