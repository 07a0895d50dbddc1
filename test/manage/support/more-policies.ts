// Loaded before the service (node --import): its table has four policies more, one a kind.
import { put } from '../../../sim/mutants/substitute.ts'

const end = '} as const satisfies Readonly<Record<string, Policy>>\n'

put('more-policies', [
  {
    file: 'src/domain/policy-table.ts',
    find: end,
    put: `  dailyCap: { kind: 'wei', name: 'daily_cap', meaning: 'the most of a day' },
  batchMax: { kind: 'count', name: 'batch_max', meaning: 'sends of one batch', min: 2, max: 50, default: 7 },
  strictOrder: { kind: 'flag', name: 'strict_order', meaning: 'false lets it be', implied: true },
  coveredTokens: { kind: 'addresses', name: 'covered_tokens', meaning: 'are covered', emptyMeans: 'none is' },
${end}`,
  },
])
