// Mutants of the balance: the reserve, the minimum, transactions that cannot be paid, and the one that empties an account.
import type { Mutant } from './mutant.ts'

export const ofFunds: readonly Mutant[] = [
  {
    name: 'spend-the-reserve',
    breaks: 'keeps nothing back for cancellations',
    expects: 'to be kept back',
    edits: [
      {
        file: 'src/domain/decide/terms/funds.ts',
        find: 'left - maxCostOf(transaction, market), balance - reserve - unsigned)',
        put: 'left - maxCostOf(transaction, market), balance - 0n * reserve - unsigned)',
      },
    ],
  },
  {
    name: 'promise-a-balance-twice',
    breaks: 'forgets that what is in flight has still to be paid',
    expects: 'got a nonce at a balance of',
    edits: [
      {
        file: 'src/domain/decide/terms/funds.ts',
        find: 'left - maxCostOf(transaction, market), balance - reserve - unsigned)',
        put: 'left - 0n * maxCostOf(transaction, market), balance - reserve - unsigned)',
      },
    ],
  },
  {
    name: 'balance-for-ever',
    breaks: 'never reads a balance anew, nor takes anything off the one that it has',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
    expects: 'is updated by mined transactions to the wei',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'const balanceKept: Patience = { blocks: 64, ms: 120_000 }',
        put: 'const balanceKept: Patience = { blocks: 1e9, ms: 120_000 }',
      },
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'wei: before.wei - paid - maxWei(0n, ...values)',
        put: 'wei: before.wei - 0n * (paid + maxWei(0n, ...values))',
      },
    ],
  },
  {
    name: 'balance-of-a-replaced-block',
    breaks: 'takes the balance of a block that another one replaced for one without the cost of what this one holds',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
    expects: 'only the count shows that this one holds ours',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'balance.readAt.block < count.readAt.block || balance.reorgs !== count.reorgs',
        put: 'balance.readAt.block < count.readAt.block',
      },
    ],
  },
  {
    name: 'balance-of-a-node-behind',
    breaks: 'remembers a balance from before what is settled, when a node that was behind has caught up',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
    expects: 'of a node behind the settled transactions does not outlast its head',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'last.shared || last.balance.isBehind || !last.count',
        put: 'last.shared || !last.count',
      },
    ],
  },
  {
    name: 'sweep-beside-others',
    breaks: 'sweeps an account while transactions are in flight, and their cost is missing',
    with: ['sweeps'],
    expects: 'sweeps the account beside',
    edits: [
      { file: 'src/domain/decide/rules/sweeps.ts', find: 'return inFlightOf(work).length > 0 ||', put: 'return' },
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
    name: 'sweep-twice-after-a-restore',
    breaks: 'does not recognize a sweep that a lost history sent',
    caughtBy: 'test/domain/decide/rules/sweeps.test.ts',
    expects: 'a lost history shows with which value it was sent',
    edits: [
      {
        file: 'src/domain/decide/lost-history/recover.ts',
        find: 'return isSweep(transaction) ? { ...payload, value } : payload',
        put: 'return isSweep(transaction) && value < 0n ? { ...payload, value } : payload',
      },
    ],
  },
  {
    name: 'touch-the-reserve',
    breaks: 'sends a value that touches the reserve beside others, so it reverts',
    with: ['reserve'],
    expects: 'touched the reserve',
    edits: [
      {
        file: 'src/domain/decide/rules/gas-reserve.ts',
        find: 'if (short <= 0n || goesAlone',
        put: 'if (short <= 10n ** 40n || goesAlone',
      },
    ],
  },
  {
    name: 'reserve-bounds-the-only-one',
    breaks: 'bounds the price of the only transaction of some blocks by the reserve, though the balance pays for it',
    caughtBy: 'test/domain/decide/rules/gas-reserve.test.ts',
    expects: 'may exceed the reserve',
    edits: [
      {
        file: 'src/domain/decide/rules/gas-reserve.ts',
        find: 'return isAlone ? undefined',
        put: 'return isAlone && others.length > 0 ? undefined',
      },
    ],
  },
  {
    name: 'sweep-under-way-for-good',
    breaks: 'takes a sweep for one under way after its end, where no node says whether it succeeded',
    caughtBy: 'test/domain/decide/rules/sweeps.test.ts',
    expects: 'one is under way until it has ended or is canceled, also where no node says whether it succeeded',
    edits: [
      { file: 'src/domain/sweep.ts', find: 'return !isTerminal(transaction) && underWay', put: 'return underWay' },
    ],
  },
]
