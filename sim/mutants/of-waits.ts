// Mutants that lose the reason for a wait, or the history of a transaction.
import type { Mutant } from './mutant.ts'

export const ofWaits: readonly Mutant[] = [
  {
    name: 'waits-for-ever',
    breaks: 'says that a transaction waits long after what it waited for is over',
    caughtBy: 'test/domain/decide/reasons.test.ts',
    expects: 'is cleared once it is over',
    edits: [
      {
        file: 'src/domain/decide/waits/explain-waits.ts',
        find: '.filter(({ id, wait }) => wait && !touched.has(id))',
        put: '.filter(({ id, wait }) => wait && touched.has(id) && !touched.has(id))',
      },
    ],
  },
  {
    name: 'ends-and-still-waits',
    breaks: 'says that a transaction waits which was dropped',
    caughtBy: 'test/domain/decide/reasons.test.ts',
    expects: 'a canceled, mined or ended transaction waits for nothing any more',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: "{ ...withoutWait(transaction), lifecycle: { phase: 'dropped'",
        put: "{ ...transaction, lifecycle: { phase: 'dropped'",
      },
    ],
  },
  {
    name: 'mined-and-still-waits',
    breaks: 'keeps the wait of a transaction to which something happened',
    expects: 'and still said to wait',
    edits: [
      {
        file: 'src/domain/wait.ts',
        find: 'const { statusReason: _, ...rest } = withoutWait(transaction)',
        put: 'const { statusReason: _, ...rest } = transaction',
      },
    ],
  },
  {
    name: 'event-for-each-figure',
    breaks: 'tells clients anew of a wait whenever a figure of it changes',
    caughtBy: 'test/domain/event.test.ts',
    expects: 'is none as long as its condition stands',
    edits: [
      {
        file: 'src/domain/event.ts',
        find: 'wait.condition !== before.wait?.condition',
        put: 'wait.text !== before.wait?.text',
      },
    ],
  },
  {
    name: 'recovered-is-forgotten',
    breaks: 'does not keep that an attempt was rebuilt from the chain',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'any transaction in any phase is read as it was inserted',
    edits: [
      {
        file: 'src/store/transactions/attempt-row.ts',
        find: 'recovered: attempt.recovered ? 1 : 0',
        put: 'recovered: 0',
      },
    ],
  },
  {
    name: 'replaced-is-forgotten',
    breaks: 'does not keep what a payload has replaced',
    expects: 'what it replaced was not kept',
    edits: [
      {
        file: 'src/store/transactions/replace.ts',
        find: 'earlier: earlierToRow(earlier), valid_until',
        put: 'earlier: earlierToRow(undefined), valid_until',
      },
    ],
  },
  {
    name: 'forget-what-came-due',
    breaks: 'waits for a block with a retry that came due between the decision and the end of the step',
    caughtBy: 'test/engine/gap-fillers.test.ts',
    expects: 'a try that comes due between the decision and the end of the step is made at once',
    edits: [
      {
        file: 'src/engine/again-after.ts',
        find: 'nextRefusedRetry(work, repeats, decidedAt)',
        put: 'nextRefusedRetry(work, repeats, now)',
      },
    ],
  },
  {
    name: 'keep-what-was-read-first',
    breaks: 'decides about a transaction as it was when a step first read it',
    expects: 'is queued among those with a nonce',
    edits: [
      {
        file: 'src/store/transactions/read-changed.ts',
        find: 'known.get(id)?.version !== version',
        put: '!known.has(id)',
      },
    ],
  },
  {
    name: 'take-back-an-acceptance',
    breaks: "holds up a sequencer's queue while a repeat of accepted bytes has no answer",
    caughtBy: 'test/domain/decide/one-by-one.test.ts',
    expects: 'holds up nothing while a repeat of it has no answer',
    edits: [{ file: 'src/domain/decide/queue/strict-nonce-order.ts', find: ' || wasTakenBefore(attempt))', put: ')' }],
  },
  {
    name: 'believe-facts-of-other-words',
    breaks: 'shows the facts of an earlier wait beside a text that another release wrote',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'the facts of a wait are read as they were saved',
    edits: [
      {
        file: 'src/store/transactions/transaction-row.ts',
        find: ' || sentenceOf(reason, row.canceled_at !== null) !== text',
        put: ' || sentenceOf(reason, row.canceled_at !== null) === undefined',
      },
    ],
  },
  {
    name: 'begin-a-wait-with-each-observation',
    breaks: 'lets a wait begin anew with each change of its figures',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'the facts of a wait are read as they were saved',
    edits: [
      {
        file: 'src/domain/wait.ts',
        find: 'before?.condition === condition ? before.since : now',
        put: 'before?.condition === condition ? now : now',
      },
    ],
  },
  {
    name: 'two-receipts-of-the-same-bytes',
    breaks: 'takes the receipt of bytes that two attempts share for two that contradict each other',
    caughtBy: 'test/chain/inclusions/read-receipts.unit.test.ts',
    expects: 'one receipt for the same bytes twice proves them',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: '(first.get(nonce) ?? hash) !== hash',
        put: 'first.has(nonce)',
      },
    ],
  },
  {
    name: 'wait-for-a-balance-that-is-there',
    breaks: 'waits for a balance far above min_balance',
    expects: 'waits for balance_below_minimum, which is not so',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'if (balance < minBalance) return',
        put: 'if (balance < 1_000_000n * minBalance) return',
      },
    ],
  },
  {
    name: 'stand-still-without-a-word',
    breaks: 'waits for a balance far above min_balance, and does not say so',
    expects: 'and shows no condition',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'if (balance < minBalance) return',
        put: 'if (balance < 1_000_000n * minBalance) return',
      },
      {
        file: 'src/domain/decide/waits/explain-waits.ts',
        find: "    if (decision.do !== 'explain') return true\n    const { wait",
        put: "    if (decision.do !== 'explain') return true\n    if (decision.condition === 'balance_below_minimum') return false\n    const { wait",
      },
    ],
  },
]
