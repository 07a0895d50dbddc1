// Mutants of the names that clients give to their transactions, and of refusals for no reason.
import type { Mutant } from './mutant.ts'

const rule = 'src/domain/labels.ts'
const rows = 'src/store/transactions/written/labels.ts'
const ofStore = 'test/store/sqlite.test.ts'

export const ofLabels: readonly Mutant[] = [
  {
    name: 'external-id-while-open',
    breaks: 'sends a second payload under an external_id whose first one is open',
    with: ['labels'],
    expects: 'have one external_id',
    edits: [
      {
        file: rule,
        find: 'if (!isTerminal(transaction)) return true',
        put: 'if (!isTerminal(transaction)) return false',
      },
    ],
  },
  {
    name: 'external-id-after-execution',
    breaks: 'sends a second payload under an external_id whose first one was executed',
    with: ['labels'],
    expects: 'have one external_id',
    edits: [
      { file: rule, find: 'return !verdictOn(transaction).safeToRetry &&', put: 'return transaction.sequence < 0 &&' },
    ],
  },
  {
    name: 'external-id-unread',
    breaks: 'checks an external_id by its first transaction, and not by the newest one',
    with: ['labels'],
    expects: 'have one external_id',
    edits: [
      {
        file: rows,
        find: ".where('external_id', 'is not', null)\n    .orderBy('sequence', 'desc')\n    .limit(1),",
        put: ".where('external_id', 'is not', null)\n    .orderBy('sequence')\n    .limit(1),",
      },
    ],
  },
  {
    name: 'external-id-not-looked-for',
    breaks: 'stores a send without a look at who has its external_id',
    with: ['labels'],
    expects: 'have one external_id',
    edits: [
      {
        file: 'src/commands/transactions/labels.ts',
        find: 'if (externalId === undefined) return',
        put: 'if (externalId !== relayerId) return',
      },
    ],
  },
  {
    name: 'external-id-before-finality',
    breaks: 'frees an external_id once its payload failed in a block that is not final',
    expects: 'is held while its payload may execute',
    edits: [
      {
        file: rule,
        find: 'if (!isTerminal(transaction)) return true',
        put: "if (!isTerminal(transaction) && statusOf(transaction) !== 'failed') return true",
      },
    ],
    caughtBy: ofStore,
  },
  {
    name: 'external-id-gone-with-its-row',
    breaks: 'frees an external_id that was executed once retention removes its transaction',
    expects: 'stays until its own age',
    edits: [
      { file: rows, find: 'if (transaction && holdsExternalId(transaction)) await', put: 'if (!transaction) await' },
    ],
    caughtBy: ofStore,
  },
  {
    name: 'key-of-an-open-transaction-goes',
    breaks: 'deletes an idempotency key by its age while its transaction is open',
    expects: 'counts from the last end',
    edits: [
      {
        file: 'src/store/transactions/written/prune-claims.ts',
        find: 'row.open === 1 ? now :',
        put: 'row.open === 1 ? 0 :',
      },
    ],
    caughtBy: ofStore,
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
