// Draws the options of clients and of the operator that are one figure each.
import type { Dice } from '../../tooling/dice.ts'
import type { Scenario } from './scenario.ts'

export function drawBulkObjects(
  dice: Dice | undefined,
  terms: Dice | undefined,
): Pick<Scenario, 'bulkObjects' | 'bulkTerms'> {
  if (!dice) return {}
  return { bulkObjects: dice.pick([0.02, 0.05, 0.1]), ...(terms && { bulkTerms: terms.pick([0.3, 0.6, 1]) }) }
}

export function drawBulkPreviews(dice: Dice | undefined): Pick<Scenario, 'bulkPreviews'> {
  return dice ? { bulkPreviews: dice.pick([0.05, 0.1, 0.2]) } : {}
}

export function drawSweeps(dice: Dice | undefined): Pick<Scenario, 'sweeps'> {
  return dice ? { sweeps: dice.pick([0.02, 0.05, 0.2]) } : {}
}

export function drawCostBounds(dice: Dice | undefined): Pick<Scenario, 'costBounds'> {
  return dice ? { costBounds: dice.pick([0.05, 0.2, 0.5]) } : {}
}

/** No labels where reorganizations take back safe blocks, and final transactions with them. */
export function drawExternalIds(
  dice: Dice | undefined,
  { finality }: Pick<Scenario, 'finality'>,
): Pick<Scenario, 'externalIds'> {
  return dice && finality?.rule !== 'safe' ? { externalIds: dice.pick([1, 3, 10]) } : {}
}

/** Nowhere with a fork: the gas of a creation by its rules is not simulated. */
export function drawCreations(
  dice: Dice | undefined,
  { gasFork }: Pick<Scenario, 'gasFork'>,
): Pick<Scenario, 'creations'> {
  return dice && !gasFork ? { creations: dice.pick([0.1, 0.3, 0.8]) } : {}
}

export function drawFourEyes(dice: Dice | undefined): Pick<Scenario, 'fourEyes'> {
  return dice ? { fourEyes: dice.pick([0.3, 0.6, 0.9]) } : {}
}

export function drawHolds(dice: Dice | undefined): Pick<Scenario, 'holds'> {
  return dice ? { holds: dice.pick([0.1, 0.3, 0.8]) } : {}
}

export function drawNetworkPauses(dice: Dice | undefined): Pick<Scenario, 'networkPauses'> {
  return dice ? { networkPauses: dice.pick([0.02, 0.1, 0.3]) } : {}
}
