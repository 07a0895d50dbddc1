// Checks that no row shows `no_progress` or `head_stalled` where nodes are honest, none lags, and blocks come and hold what is offered.
import type { Scenario } from '../scenario/scenario.ts'
import type { Row } from './row.ts'

export function watchLastResorts(scenario: Scenario, fail: (what: string) => void): (row: Row) => void {
  const { liar, weights, fees, isHeldBack, reorgMax } = scenario
  const isHonest = liar === undefined && fees.droughts === 0 && !isHeldBack
  // A node that misses a reorganization stands still, too.
  const mayLag = weights.lag > 0 || reorgMax > 0
  return ({ id, wait_condition: condition }) => {
    if (condition === 'no_progress' && isHonest) fail(`${id.slice(-6)} shows no_progress in an honest world`)
    if (condition === 'head_stalled' && isHonest && !mayLag)
      fail(`${id.slice(-6)} shows head_stalled in an honest world`)
  }
}
