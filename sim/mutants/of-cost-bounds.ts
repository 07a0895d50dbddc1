// Mutants of limits of cost: what a bulk cancellation takes, and the bound of each no-op.
import type { Mutant } from './mutant.ts'

export const ofCostBounds: readonly Mutant[] = [
  {
    name: 'no-bound-of-cost',
    breaks: 'signs no-ops at any price, whatever the bound of the cancellation is',
    with: ['costLimits'],
    expects: 'and its bound is',
    edits: [
      {
        file: 'src/domain/decide/rules/cost-bound.ts',
        find: 'if (costMax === undefined) return nextBid(bidder)',
        put: 'if (costMax === undefined || costMax >= 0n) return nextBid(bidder)',
      },
    ],
  },
  {
    name: 'late-signature-above-the-bound',
    breaks: 'records a no-op whose signature came after a lower bound was set',
    with: ['costLimits', 'remoteSigners'],
    expects: 'and its bound is',
    edits: [
      {
        file: 'src/domain/decide/rules/cost-bound.ts',
        find: 'return costMax === undefined || costMax === boundOf(known)',
        put: 'return costMax === undefined || known !== fresh',
      },
    ],
  },
  {
    name: 'bound-without-l1',
    breaks: 'offers for gas what the bound leaves for data on L1',
    caughtBy: 'test/domain/decide/rules/cost-bound.test.ts',
    expects: 'pays for its data on L1 within the bound',
    edits: [
      {
        file: 'src/domain/decide/rules/cost-bound.ts',
        find: 'const forGas = costMax - (market.noOpL1Fee ?? 0n)',
        put: 'const forGas = costMax - 0n * (market.noOpL1Fee ?? 0n)',
      },
    ],
  },
  {
    name: 'pre-signed-above-the-bound',
    breaks: 'broadcasts a pre-signed no-op that may cost more than the bound',
    caughtBy: 'test/domain/decide/rules/cost-bound.test.ts',
    expects: 'a pre-signed no-op above the bound is not broadcast',
    edits: [
      {
        file: 'src/domain/decide/rules/cost-bound.ts',
        find: 'return costMax === undefined || noOpCost(gasLimit, fees, market) <= costMax',
        put: 'return costMax === undefined || noOpCost(gasLimit, fees, market) > 0n',
      },
    ],
  },
  {
    name: 'spend-max-cost-for-each',
    breaks: 'compares each match with the whole max_cost',
    caughtBy: 'test/domain/choose-within.test.ts',
    expects: 'one wei less takes one less',
    edits: [
      {
        file: 'src/domain/bulk/choose-within.ts',
        find: 'const left = limit.maxCost - spent',
        put: 'const left = limit.maxCost',
      },
    ],
  },
  {
    name: 'max-cost-for-each-relayer',
    breaks: 'gives each relayer the whole max_cost',
    caughtBy: 'test/domain/choose-within.test.ts',
    expects: 'the next relayer has what those before it left',
    edits: [
      {
        file: 'src/domain/bulk/choose-within.ts',
        find: 'committed.push(chosen.spent)',
        put: 'committed.push(0n * chosen.spent)',
      },
    ],
  },
]
