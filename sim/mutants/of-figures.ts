// Figures of five minutes that do not say what the rows say.
import type { Mutant } from './mutant.ts'

export const ofFigures: readonly Mutant[] = [
  {
    name: 'counts-each-change-of-a-state-anew',
    breaks:
      'adds the figures of a transaction with each of its changes, without taking those of its earlier state away',
    expects: 'are kept of',
    edits: [
      {
        file: 'src/domain/figures.ts',
        find: 'addAll(changes, figureChangesOf(before, spentNonceOf(before)), -1)',
        put: "if (before.lifecycle.phase === 'mined') addAll(changes, figureChangesOf(before, spentNonceOf(before)), -1)",
      },
    ],
  },
  {
    name: 'figures-of-a-unit-that-failed',
    breaks: 'keeps the figures of a unit that failed and runs again',
    expects: 'are kept of',
    edits: [
      {
        file: 'src/store/transactions/tallies.ts',
        find: '    forget() {\n      counted = []\n      figures = []',
        put: '    forget() {\n      counted = []',
      },
    ],
  },
  {
    name: 'bulk-without-figures',
    breaks: 'leaves the queue that a bulk cancellation dropped out of the figures',
    expects: 'canceled are kept of',
    edits: [
      {
        file: 'src/store/transactions/drop-queue.ts',
        find: 'figures: { canceled: rows.length }',
        put: 'figures: {}',
      },
    ],
  },
  {
    name: 'figures-of-what-was-taken-back',
    breaks: 'leaves a confirmation in the figures that a reorganization took back',
    expects: 'are kept',
    edits: [
      {
        file: 'src/domain/figures.ts',
        find: '  return [...changes].flatMap(([at, sums]) => {',
        put: "  if (before.lifecycle.phase === 'mined' && after.lifecycle.phase === 'inFlight') return []\n  return [...changes].flatMap(([at, sums]) => {",
      },
    ],
  },
]
