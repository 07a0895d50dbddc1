// Mutants of the balance: the reserve, the minimum, and transactions that cannot be paid.
import type { Mutant } from './mutant.ts'

export const ofFunds: readonly Mutant[] = [
  {
    name: 'spend-the-reserve',
    breaks: 'keeps nothing back for cancellations',
    expects: 'to be kept back',
    edits: [
      {
        file: 'src/domain/decide/queue/funds.ts',
        find: 'left - maxCostOf(transaction, market), balance - reserve - unsigned)',
        put: 'left - maxCostOf(transaction, market), balance - 0n * reserve - unsigned)',
      },
    ],
  },
  {
    name: 'default-reserve-of-nothing',
    breaks: 'keeps nothing back for cancellations where cancel_reserve is absent',
    expects: 'to be kept back',
    edits: [
      {
        file: 'src/domain/decide/queue/funds.ts',
        find: 'return cancelReserve ?? 2n * noOpReserve(',
        put: 'return cancelReserve ?? 0n * noOpReserve(',
      },
    ],
  },
  {
    name: 'promise-a-balance-twice',
    breaks: 'forgets that what is in flight has still to be paid',
    expects: 'got a nonce at a balance of',
    edits: [
      {
        file: 'src/domain/decide/queue/funds.ts',
        find: 'left - maxCostOf(transaction, market), balance - reserve - unsigned)',
        put: 'left - 0n * maxCostOf(transaction, market), balance - reserve - unsigned)',
      },
    ],
  },
  {
    name: 'spend-below-the-minimum',
    breaks: 'does not look at min_balance',
    caughtBy: 'test/domain/decide/reasons.test.ts',
    expects: 'balance_below_minimum',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'if (balance < minBalance) return',
        put: 'if (balance < 0n * minBalance) return',
      },
    ],
  },
  {
    name: 'balance-for-ever',
    breaks: 'never reads a balance anew, nor takes anything off the one that it has',
    expects: 'to be kept back',
    edits: [
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'const balanceKeptBlocks = 64',
        put: 'const balanceKeptBlocks = 1e9',
      },
      {
        file: 'src/chain/accounts/account-memory.ts',
        find: 'wei: before.wei - paid - maxWei(0n, ...values)',
        put: 'wei: before.wei - 0n * (paid + maxWei(0n, ...values))',
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
    name: 'never-pass-the-unfunded',
    breaks: 'does not look at skip_unfunded when nonces are assigned',
    caughtBy: 'test/domain/decide/skip-unfunded.test.ts',
    expects: 'with it the others take the nonces',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: "if (skips && condition === 'balance_short') {",
        put: "if (skips && condition === 'balance_short' && transaction.sequence < 0) {",
      },
    ],
  },
  {
    name: 'always-pass-the-unfunded',
    breaks: 'gives up the order of the queue without skip_unfunded',
    caughtBy: 'test/domain/decide/skip-unfunded.test.ts',
    expects: 'without it the first that cannot be paid holds up the queue',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: "if (skips && condition === 'balance_short') {",
        put: "if ((skips || String(condition) !== '') && condition === 'balance_short') {",
      },
    ],
  },
]
