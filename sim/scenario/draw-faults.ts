// Draws what goes wrong: outcomes of broadcasts, hidden nonces, and a node that lies.
import type { Dice } from '../../tooling/dice.ts'
import { type Liar, type LieKind, lieKinds } from '../lies/lie.ts'
import { drawLiar } from '../lies/lies.ts'
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
  const drawn = lieKinds.flatMap((each) => {
    const dice = has(each)
    return dice ? [drawLiar(each, dice, farDice, nodes.length)] : []
  })
  const possible = drawn.filter(({ kind: lie }) => {
    if (lie === 'tagsAhead' && !isByTag(finality)) return false
    return !isAboutBlocks(lie) || witnessesOf(nodes.length, finality).length > 1
  })
  return restores.length > 0 || kind.isFcfs ? undefined : possible[0]
}

/** Lies that contradict what makes a spender final. */
function isAboutBlocks(lie: LieKind): boolean {
  return lie === 'tagsAhead' || lie === 'falseInclusion'
}

/** Final is what two witnesses show. One that lies to the end needs two others, or the others wait for good. */
export function canLieToTheEnd(
  { kind, node }: Liar,
  { profiles: nodes, finality }: Pick<Scenario, 'profiles' | 'finality'>,
): boolean {
  const others = isAboutBlocks(kind)
    ? witnessesOf(nodes.length, finality).filter((index) => index !== node)
    : nodes.slice(1)
  return others.length > 1
}
