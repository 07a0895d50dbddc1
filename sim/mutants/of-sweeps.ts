// Mutants of the transaction that empties an account.
import type { Mutant } from './mutant.ts'

const sweeping = 'src/domain/decide/queue/sweeping.ts'
const caughtBy = 'test/domain/decide/sweep.test.ts'

export const ofSweeps: readonly Mutant[] = [
  {
    name: 'sweep-beside-others',
    breaks: 'sweeps an account while transactions are in flight, and their cost is missing',
    with: ['sweeps'],
    expects: 'sweeps the account beside',
    edits: [{ file: sweeping, find: 'return inFlightOf(work).length > 0 ||', put: 'return' }],
  },
  {
    name: 'sweep-before-others',
    breaks: 'sweeps an account before what was sent earlier',
    with: ['sweeps'],
    expects: 'sweeps the account be',
    edits: [
      {
        file: sweeping,
        find: 'if (at === 0) return queued.slice(0, 1)',
        put: 'if (at >= 0) return queued.slice(at, at + 1)',
      },
    ],
  },
  {
    name: 'sweep-to-the-last-wei',
    breaks: 'sweeps all but the cost of the first bid, so that no second can be paid',
    with: ['sweeps'],
    expects: 'and should keep',
    edits: [{ file: 'src/domain/sweep.ts', find: 'return funds - 2n * (', put: 'return funds - (' }],
  },
  {
    name: 'sweep-beside-the-reserve',
    breaks: 'leaves the reserve for cancellations in an account that is swept',
    with: ['sweeps'],
    expects: 'and should keep',
    edits: [{ file: sweeping, find: 'return isSweep(transaction) ? 0n :', put: 'return' }],
  },
  {
    name: 'sweep-without-a-pause',
    breaks: 'sweeps an account whose clients go on to send',
    with: ['sweeps'],
    expects: 'and the relayer is not paused',
    edits: [
      {
        file: 'src/commands/relayers/sweep.ts',
        find: 'found.paused ? found : await pause(session, found)',
        put: 'found.paused || pause.length > 9 ? found : found',
      },
    ],
  },
  {
    name: 'sweep-of-nothing',
    breaks: 'signs the value that a sweep has before it is settled',
    with: ['sweeps'],
    expects: 'and should keep',
    edits: [
      {
        file: 'src/engine/sign.ts',
        find: 'signPayload(context, withBoundValue(transaction, change), change.nonce',
        put: 'signPayload(context, withBoundValue(transaction, {}), change.nonce',
      },
    ],
  },
  {
    name: 'sweep-for-ever',
    breaks: 'waits for money where an account pays for its sweep no more',
    caughtBy,
    expects: 'a lower balance lowers the value',
    edits: [
      {
        file: 'src/domain/decide/race/pursue.ts',
        find: 'if (!steps.some(isShort)) return steps',
        put: 'if (!steps.some(isShort) || situation) return steps',
      },
    ],
  },
  {
    name: 'sweep-twice-after-a-restore',
    breaks: 'does not recognize a sweep that a lost history sent',
    caughtBy,
    expects: 'a lost history shows with which value it was sent',
    edits: [
      {
        file: 'src/domain/decide/history/recover.ts',
        find: 'return isSweep(transaction) ? { ...payload, value } : payload',
        put: 'return isSweep(transaction) && value < 0n ? { ...payload, value } : payload',
      },
    ],
  },
  {
    name: 'sweep-into-the-reserve',
    breaks: 'empties an account that delegates below the reserve of its network, where it reverts',
    caughtBy,
    expects: 'an account that delegates keeps the reserve',
    edits: [
      {
        file: sweeping,
        find: 'return delegated ? reserveBalance : 0n',
        put: 'return delegated ? 0n : reserveBalance * 0n',
      },
    ],
  },
  {
    name: 'sweep-by-an-old-balance',
    breaks: 'settles the value of a sweep by a balance that was read before a payment',
    caughtBy,
    expects: 'its balance read at the head',
    edits: [
      { file: 'src/domain/decide/facts/inquire.ts', find: '|| front.some(isSweep) ?', put: '|| front.length < 0 ?' },
    ],
  },
  {
    name: 'sweep-under-way-for-good',
    breaks: 'takes a sweep for one under way after its end, where no node says whether it succeeded',
    caughtBy,
    expects: 'one is under way until it has ended or is canceled, also where no node says whether it succeeded',
    edits: [
      { file: 'src/domain/sweep.ts', find: 'return !isTerminal(transaction) && underWay', put: 'return underWay' },
    ],
  },
]
