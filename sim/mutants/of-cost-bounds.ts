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
        file: 'src/domain/decide/race/price.ts',
        find: 'if (contender.costMax !== undefined) return',
        put: 'if (contender.costMax !== undefined && contender.costMax < 0n) return',
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
        file: 'src/engine/record-signed.ts',
        find: 'return costMax === undefined || costMax === known.cancellation?.costMax',
        put: 'return costMax === undefined || known !== fresh',
      },
    ],
  },
  {
    name: 'lift-no-bound',
    breaks: 'keeps the bound of a race when a plain cancellation comes',
    caughtBy: 'test/domain/decide/cost-bound.test.ts',
    expects: 'is set by the cancellation, lifted by a plain one',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: 'const { costMax: _, ...intent } = earlier',
        put: 'const intent = earlier',
      },
    ],
  },
  {
    name: 'bulk-lifts-no-bound',
    breaks: 'keeps the bound of a race when everything pending is canceled',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'one that races within a bound loses the bound',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: 'if (!isRacing(row.status, row.phase) || row.cancel_cost_max === null) continue',
        put: "if (!isRacing(row.status, row.phase) || row.cancel_cost_max !== '') continue",
      },
    ],
  },
  {
    name: 'bound-without-l1',
    breaks: 'offers for gas what the bound leaves for data on L1',
    caughtBy: 'test/domain/decide/cost-bound.test.ts',
    expects: 'pays for its data on L1 within the bound',
    edits: [
      {
        file: 'src/domain/decide/race/price.ts',
        find: 'const forGas = costMax - (market.noOpL1Fee ?? 0n)',
        put: 'const forGas = costMax - 0n * (market.noOpL1Fee ?? 0n)',
      },
    ],
  },
  {
    name: 'pre-signed-above-the-bound',
    breaks: 'broadcasts a pre-signed no-op that may cost more than the bound',
    caughtBy: 'test/domain/decide/cost-bound.test.ts',
    expects: 'a pre-signed no-op above the bound is not broadcast',
    edits: [
      {
        file: 'src/domain/decide/signer/presign.ts',
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
        file: 'src/domain/decide/choose-within.ts',
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
        file: 'src/domain/decide/choose-within.ts',
        find: 'committed.push(chosen.spent)',
        put: 'committed.push(0n * chosen.spent)',
      },
    ],
  },
  {
    name: 'free-whatever-gap-it-leaves',
    breaks: 'counts a match as free although its nonce needs a gap filler',
    caughtBy: 'test/domain/choose-within.test.ts',
    expects: 'below a nonce that stays in use it costs a gap filler',
    edits: [
      {
        file: 'src/domain/decide/choose-within.ts',
        find: 'if (!gapFillers.has(each.lifecycle.nonce)) return of',
        put: 'if (!gapFillers.has(each.lifecycle.nonce) || each.version >= 0) return of',
      },
    ],
  },
  {
    name: 'a-paused-queue-takes-nonces',
    breaks: 'counts on a queue that the same commit pauses to take the nonces of matches',
    caughtBy: 'test/domain/choose-within.test.ts',
    expects: 'the same commit pauses it',
    edits: [
      {
        file: 'src/domain/decide/choose-within.ts',
        find: 'isPaused(work.relayer) || pauses ?',
        put: 'isPaused(work.relayer) ?',
      },
    ],
  },
  {
    name: 'miss-the-price-of-a-part',
    breaks: 'lets a part of a bulk cancellation that lacked a price wait for the clock, whatever is observed',
    caughtBy: 'test/commands/bulk-cancellations/retry-parts.test.ts',
    expects: 'is taken once this process has observed it',
    edits: [{ file: 'src/commands/bulk-cancellations/stop-relayers.ts', find: '      retries.hurry()\n', put: '' }],
  },
  {
    name: 'try-the-first-parts-only',
    breaks: 'lets a hundred parts without a price keep all others from their turn',
    caughtBy: 'test/commands/bulk-cancellations/retry-parts.test.ts',
    expects: 'keep none behind them from its turn',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/stop-relayers.ts',
        find: 'if (!parts || !last) return isLeft',
        put: 'if (!parts || !last || after > 0) return isLeft',
      },
    ],
  },
  {
    name: 'let-an-owner-sleep-on-a-new-bound',
    breaks: 'sets another bound on a race that is on, and does not wake its owner',
    caughtBy: 'test/commands/bulk-cancellations/retry-parts.test.ts',
    expects: 'wakes the owner, who signs within it',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/stop-relayers.ts',
        find: 'taken.racing > 0 || taken.rebounded',
        put: 'taken.racing > 0',
      },
    ],
  },
  {
    name: 'take-without-a-price',
    breaks: 'refuses a match for good where the price of its part was not observed yet',
    caughtBy: 'test/commands/bulk-cancellations/retry-parts.test.ts',
    expects: 'is taken once this process has observed it',
    edits: [
      {
        file: 'src/store/transactions/choose-in-bulk.ts',
        find: 'if ((limit ? needsPrice(limit) : isBounded) &&',
        put: 'if (!(limit ? needsPrice(limit) : isBounded) &&',
      },
    ],
  },
]
