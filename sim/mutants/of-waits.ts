// Mutants that lose the reason for a wait, or the history of a transaction, or miscount it in figures.
import type { Mutant } from './mutant.ts'

export const ofWaits: readonly Mutant[] = [
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
    name: 'stand-still-in-silence',
    breaks: 'shows no condition while block after block leaves out the next nonce',
    with: ['fcfs', 'heldBack'],
    expects: 'and shows no condition',
    edits: [
      {
        file: 'src/domain/decide/waits/no-progress.ts',
        find: 'if (!first || !chances) return []',
        put: 'if (!first || !chances || chances.blocks >= 0) return []',
      },
    ],
  },
  {
    name: 'no-progress-too-soon',
    breaks: 'calls it no progress if a dozen blocks leave out the next nonce, full ones and dear ones, too',
    caughtBy: 'test/domain/decide/no-progress.test.ts',
    expects: '24 blocks over 60 s',
    edits: [
      {
        file: 'src/domain/decide/waits/no-progress.ts',
        find: 'const least: Patience = { blocks: 24,',
        put: 'const least: Patience = { blocks: 12,',
      },
    ],
  },
  {
    name: 'no-progress-in-turns',
    breaks: 'goes on counting the blocks of the last resort beside another condition',
    caughtBy: 'test/domain/decide/no-progress.test.ts',
    expects: 'it never alternates with that',
    edits: [
      {
        file: 'src/domain/decide/waits/no-progress.ts',
        find: '{ ...chances, blocks: 0, since: now } : chances',
        put: 'chances : chances',
      },
    ],
  },
  {
    name: 'no-progress-while-a-service-signs',
    breaks: 'calls it no progress while a key service works on the signature of a higher bid',
    caughtBy: 'test/domain/decide/no-progress.test.ts',
    expects: 'not while a key service works',
    edits: [{ file: 'src/domain/decide/decide.ts', find: 'changing(followUps)', put: 'changing(explained)' }],
  },
  {
    name: 'replaced-is-forgotten',
    breaks: 'does not keep what a payload has replaced',
    expects: 'what it replaced was not kept',
    edits: [
      {
        file: 'src/store/transactions/written/replace.ts',
        find: 'earlier: earlierToRow(earlier), valid_until',
        put: 'earlier: earlierToRow(undefined), valid_until',
      },
    ],
  },
  {
    name: 'keep-what-was-read-first',
    breaks: 'decides about a transaction as it was when a step first read it',
    expects: 'is queued among those with a nonce',
    edits: [
      {
        file: 'src/store/transactions/found/read-changed.ts',
        find: 'known.get(id)?.version !== version',
        put: '!known.has(id)',
      },
    ],
  },
  {
    name: 'wait-for-a-balance-that-is-there',
    breaks: 'waits for a balance far above min_balance',
    expects: 'waits for balance_below_minimum, which is not so',
    edits: [
      {
        file: 'src/domain/decide/queue/offer.ts',
        find: 'if (balance < minBalance) return',
        put: 'if (balance < 1_000_000n * minBalance) return',
      },
    ],
  },
  {
    name: 'counts-each-change-of-a-state-anew',
    breaks:
      'adds the figures of a transaction with each of its changes, without taking those of its earlier state away',
    expects: 'are kept of',
    edits: [
      {
        file: 'src/domain/figures.ts',
        find: 'const taken = figuresOf(before)',
        put: "const taken = (before.lifecycle.phase === 'mined' ? figuresOf(before) : [])",
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
        find: '  return [...figuresOf(after), ...taken, ...spending]',
        put: "  if (before.lifecycle.phase === 'mined' && after.lifecycle.phase === 'inFlight') return []\n  return [...figuresOf(after), ...taken, ...spending]",
      },
    ],
  },
  {
    name: 'stale-waits-behind-what-returns',
    breaks:
      'keeps the wait of the first of the queue once others return before it, though no step may load it for long',
    caughtBy: 'test/domain/decide/waits.test.ts',
    expects: 'is cleared behind one that returns to the queue',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: 'isIncomplete ? overtaken(work, decisions) :',
        put: 'isIncomplete ? [] :',
      },
    ],
  },
]
