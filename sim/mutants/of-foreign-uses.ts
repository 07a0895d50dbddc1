// Mutants of the looks for foreign uses of keys.
import type { Mutant } from './mutant.ts'

export const ofForeignUses: readonly Mutant[] = [
  {
    name: 'foreign-use-forgotten',
    breaks: 'passes a foreign use of the key without an entry',
    with: ['foreignLooks'],
    expects: 'is in 0 entries',
    edits: [
      {
        file: 'src/engine/find-foreign-use.ts',
        find: 'await record(context, ownership, next, found)',
        put: 'await record(context, ownership, next)',
      },
    ],
  },
  {
    name: 'own-nonce-is-foreign-use',
    breaks: 'takes a nonce that an attempt of ours spent for a foreign use of the key',
    with: ['foreignLooks'],
    expects: 'and no foreign transaction spent it',
    edits: [
      {
        file: 'src/domain/foreign-use.ts',
        find: "if ((row && row.by !== 'foreign') || isIn(known, nonce)) continue",
        put: "if (row?.by === 'undecided' || isIn(known, nonce)) continue",
      },
      {
        file: 'src/domain/foreign-use.ts',
        find: '...(row && { spender: row.spender })',
        put: "...(row?.by === 'foreign' && { spender: row.spender })",
      },
    ],
  },
  {
    name: 'foreign-use-before-the-check',
    breaks: 'records what the history check may still find to be a transaction on record',
    caughtBy: 'test/engine/foreign-use.test.ts',
    expects: 'an open history check is awaited',
    edits: [
      {
        file: 'src/engine/find-foreign-use.ts',
        find: 'if (!work || mayRecover(work)) return undefined',
        put: 'if (!work) return undefined',
      },
    ],
  },
]
