// Draws what goes wrong: outcomes of broadcasts, hidden nonces, and a node that lies.
import type { Dice } from '../../tooling/dice.ts'
import { type DrawnLie, type Liar, type LieKind, lieKinds } from '../lies/lie.ts'
import { drawLie } from '../lies/lies.ts'
import { type OutcomeOdds, oddsOfFaults, type RequestOutcome, requestOutcomes } from '../outcomes.ts'
import type { Feature } from './features.ts'
import { isByTag, witnessesOf } from './finality.ts'
import type { Gaps, Scenario } from './scenario.ts'

/** A restored copy learns from pools what it has lost, so there all of them answer truly. */
export function drawGaps(dice: Dice, { profiles: nodes, restores }: Pick<Scenario, 'profiles' | 'restores'>): Gaps {
  const [hides, isTight] = [dice.chance(0.25), dice.chance(0.15)]
  if (restores.length > 0) return { pendingCounts: nodes.map(() => 'pool'), tightGapFillers: 0 }
  const weights = { pool: 1, error: 3, latest: 1 } as const
  return {
    pendingCounts: nodes.map(() => (hides ? dice.weighted(weights) : 'pool')),
    tightGapFillers: isTight ? dice.pick([8, 16]) : 0,
  }
}

/** Outcomes that leave it unknown whether the node got the bytes. */
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

export function drawSendOutcomeOdds(dice: Dice): OutcomeOdds {
  // A refused batch may have been executed, and its calls cannot be sent one by one.
  const some = dice.chance(0.3) ? batchOutcomes : doubtfulOutcomes.filter(() => dice.chance(0.6))
  const faults = Object.fromEntries(
    requestOutcomes.map((outcome) => [outcome, some.includes(outcome) ? dice.between(1, 10) : 0]),
  ) as Record<RequestOutcome, number>
  return oddsOfFaults(faults, dice.pick([0.1, 0.3, 0.6]))
}

/** No liar where a copy is restored, which learns from nodes base, or where one sequencer is behind all nodes. */
export function drawOneLiar(
  has: (feature: Feature) => Dice | undefined,
  farDice: Dice,
  { restores, kind, profiles: nodes, finality }: Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>,
): Liar | undefined {
  const isPossible = (lie: LieKind) => {
    if (lie === 'tagsAhead' && !isByTag(finality)) return false
    // What the only node estimates counts.
    if (lie === 'falseEstimates' && nodes.length === 1) return false
    return !isAboutBlocks(lie) || witnessesOf(nodes.length, finality).length > 1
  }
  // Each draws, so that a seed's other draws stay as they are.
  const drawn = lieKinds.flatMap((each): { node: number; lie: DrawnLie }[] => {
    const dice = has(each)
    return dice ? [{ node: dice.between(0, nodes.length - 1), lie: drawLie(each, dice, farDice) }] : []
  })
  const [first] = drawn.filter(({ lie }) => isPossible(lie.kind))
  if (!first || restores.length > 0 || kind.isFcfs) return undefined
  const { node, lie } = first
  const secondDice = has('secondLie')
  const others = lieKinds.filter((each) => each !== lie.kind && isPossible(each))
  return { node, lies: secondDice ? [lie, drawLie(secondDice.pick(others), secondDice, farDice)] : [lie] }
}

export function drawEstimates(dice: Dice | undefined): Pick<Scenario, 'estimates'> {
  return dice ? { estimates: { failingCalls: dice.pick([0.1, 0.4]), outages: dice.pick([0.03, 0.1]) } } : {}
}

/** Each endpoint is as far away as it is. */
export function drawLatencies(dice: Dice | undefined, nodes: Scenario['profiles']): Pick<Scenario, 'latenciesMs'> {
  return dice ? { latenciesMs: nodes.map(() => dice.pick([5, 25, 100, 250, 500])) } : {}
}

/** A primary that nearly every first reading goes to, and its fallbacks. Mostly it is the node that lies. */
export function drawWeights(dice: Dice | undefined, nodes: number, liar: Liar | undefined): Scenario['nodeWeights'] {
  if (!dice) return undefined
  const [any, isLiar] = [dice.between(0, nodes - 1), dice.chance(0.7)]
  const primary = liar && isLiar ? liar.node : any
  return Array.from({ length: nodes }, (_, index) => (index === primary ? 100 : 1))
}

/** Lies that contradict what makes a spender final. */
function isAboutBlocks(lie: LieKind): boolean {
  return ['tagsAhead', 'falseInclusion', 'minedEarly', 'countedEarly', 'falseCost'].includes(lie)
}

/** Final is what two witnesses show. One that lies to the end needs two others, or the others wait for good. */
export function canLieToTheEnd(
  { lies, node }: Liar,
  { profiles: nodes, finality }: Pick<Scenario, 'profiles' | 'finality'>,
): boolean {
  const others = lies.some(({ kind }) => isAboutBlocks(kind))
    ? witnessesOf(nodes.length, finality).filter((index) => index !== node)
    : nodes.slice(1)
  return others.length > 1
}
