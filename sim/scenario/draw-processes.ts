// Draws where the service runs: its processes, its keys and its database, and the part that stays broken.
import type { Dice } from '../../tooling/dice.ts'
import { custodyKinds } from '../process/custody.ts'
import { replicaActions } from './actions.ts'
import { canLieToTheEnd } from './draw-faults.ts'
import type { BrokenPart, Presigning, Replicas, Restore, Scenario } from './scenario.ts'

/** One seed in five has replicas. */
export function drawReplicas(dice: Dice): Replicas | undefined {
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

export function drawCustody(dice: Dice | undefined) {
  return dice && { kind: dice.pick(custodyKinds), signerChanges: dice.pick([0, 0, 0.05]) }
}

export function drawPresigning(dice: Dice | undefined): Presigning | undefined {
  return dice && { levels: dice.pick([1, 2, 2]), outages: dice.pick([0, 0.01, 0.03]) }
}

/** One restore in one seed of five. */
export function drawRestore(dice: Dice): readonly Restore[] {
  if (!dice.chance(0.2)) return []
  const copied = dice.between(10, 80) / 100
  const soon = copied + dice.between(1, 20) / 100
  const isLong = dice.chance(0.5)
  if (dice.chance(0.5)) return [{ copied, putBack: soon, isLong, takesBack: false }]
  // Verdicts that the copy does not hold become final in between.
  return [{ copied, putBack: Math.min(0.97, soon + dice.between(10, 40) / 100), isLong, takesBack: true }]
}

/** One restore or two, at any time. The second copy may be older than the first, and may be made before or after the first restore. */
export function drawAnyRestores(dice: Dice): readonly Restore[] {
  return Array.from({ length: dice.pick([1, 2, 2]) }, () => {
    const copied = dice.between(0, 95)
    const putBack = dice.between(copied + 1, 99) / 100
    return { copied: copied / 100, putBack, isLong: dice.chance(0.3), takesBack: dice.chance(0.3) }
  })
}

/** Only a part that this run has can stay broken. */
export function drawBrokenEnd(
  dice: Dice | undefined,
  scenario: Pick<Scenario, 'liar' | 'profiles' | 'finality' | 'replicas' | 'signerChanges'>,
): BrokenPart | undefined {
  const { liar, replicas, signerChanges } = scenario
  const possible: BrokenPart[] = [
    ...(liar && canLieToTheEnd(liar, scenario) ? (['liar'] as const) : []),
    ...(replicas ? (['replica'] as const) : []),
    ...(signerChanges !== undefined ? (['signer'] as const) : []),
  ]
  return !dice || possible.length === 0 ? undefined : dice.pick(possible)
}
