// Mutants that refuse a request of a client for no reason.
import type { Mutant } from './mutant.ts'

export const ofClientRefusals: readonly Mutant[] = [
  {
    name: 'refuse-a-price-at-the-cap',
    breaks: 'refuses a send whose price is exactly gas_price_cap',
    expects: 'refused with POLICY_VIOLATION, and nothing',
    edits: [
      {
        file: 'src/domain/submit.ts',
        find: 'gasPriceCap !== undefined && feeCap(pricing) > gasPriceCap',
        put: 'gasPriceCap !== undefined && feeCap(pricing) >= gasPriceCap',
      },
    ],
  },
  {
    name: 'refuse-a-second-cancel',
    breaks: 'refuses a DELETE of a transaction whose race is under way',
    expects: 'refused with TRANSACTION_ALREADY_MINED, and nothing',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: 'const byStatus: Refusals = cancelRefusals\n',
        put: 'const { phase } = transaction.lifecycle\n  const byStatus: Refusals = isRacing(status, phase) ? { canceled: cancelRefusals.mined } : cancelRefusals\n',
      },
    ],
  },
]
