// Mutants that break the rules of a chain that orders blocks before it executes them.
import type { Mutant } from './mutant.ts'

const reserve = 'src/domain/decide/queue/reserve-balance.ts'
const caughtBy = 'test/domain/decide/reserve-balance.test.ts'

export const ofReserve: readonly Mutant[] = [
  {
    name: 'touch-the-reserve',
    breaks: 'sends a value that touches the reserve beside others, so it reverts',
    with: ['reserve'],
    expects: 'touched the reserve',
    edits: [{ file: reserve, find: 'if (short <= 0n || goesAlone', put: 'if (short <= 10n ** 40n || goesAlone' }],
  },
  {
    name: 'empty-too-soon',
    breaks: 'empties the account while its last transactions are a block or two old',
    caughtBy,
    expects: 'until some blocks have followed the last',
    edits: [
      {
        file: reserve,
        find: 'return lagOf(profile) === 0 || lagged?.nonce === spentBelow',
        put: 'return lagOf(profile) >= 0 || lagged?.nonce === spentBelow',
      },
    ],
  },
  {
    name: 'gas-beyond-the-reserve',
    breaks: 'has more gas in flight than the reserve pays for',
    caughtBy,
    expects: 'fits in the reserve, however high',
    edits: [
      {
        file: reserve,
        find: 'gasFunds === undefined || gas <= gasFunds) return undefined',
        put: 'gasFunds === undefined || gas <= gasFunds + reserve) return undefined',
      },
    ],
  },
  {
    name: 'gas-of-one-step',
    breaks: 'forgets the gas of transactions that get their nonces in the same step',
    caughtBy,
    expects: 'fits in the reserve, however high',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'if (gasFunds !== undefined) gasFunds -= upfrontCost(0n, offer.gasLimit, offer.fees)',
        put: '',
      },
    ],
  },
  {
    name: 'wait-for-a-balance-for-ever',
    breaks: 'sends nothing where no node has the balance of some blocks ago',
    caughtBy: 'test/chain/accounts/read-lagged.unit.test.ts',
    expects: 'once that is old enough',
    edits: [
      {
        file: 'src/chain/accounts/read-lagged.ts',
        find: '?? (known && { balance: known.balance, nonce: known.nonce })',
        put: '?? (known && undefined)',
      },
    ],
  },
  {
    name: 'a-payment-counts-at-once',
    breaks: 'spends a payment to the account before the chain counts it',
    caughtBy,
    expects: 'counts once it is so many blocks old',
    edits: [
      {
        file: reserve,
        find: 'return minWei(balance, maxWei(0n, lagged.balance - since))',
        put: 'return maxWei(balance, maxWei(0n, lagged.balance - since))',
      },
    ],
  },
  {
    name: 'forget-what-was-just-mined',
    breaks: 'forgets the cost of the last blocks, which the counted balance does not include',
    caughtBy,
    expects: 'those in the last blocks',
    edits: [
      {
        file: reserve,
        find: 'return number > head - lag && number <= head',
        put: 'return number > head && number <= lag',
      },
    ],
  },
  {
    name: 'empty-while-delegated',
    breaks: 'empties an account that delegates, which always reverts',
    caughtBy,
    expects: 'never goes from an account that delegates',
    edits: [{ file: reserve, find: 'if (delegated || nonce', put: 'if (nonce' }],
  },
  {
    name: 'a-no-op-behind-higher-nonces',
    breaks: 'keeps a no-op from its block for the gas of transactions that come after it',
    caughtBy,
    expects: 'limits a no-op only by the nonces below it',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'const gasFunds = gasFundsOf(work, observation, policy, lifecycle.nonce)',
        put: 'const gasFunds = gasFundsOf(work, observation, policy, lifecycle.nonce + 1_000)',
      },
    ],
  },
  {
    name: 'pass-what-goes-alone',
    breaks: 'lets later transactions pass one that waits to go alone, so that it may wait for ever',
    caughtBy,
    expects: 'passed by no other',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: "(reason.facts.of === 'emptying' || reason.facts.of === 'gas')",
        put: "reason.facts.of === 'gas'",
      },
    ],
  },
  {
    name: 'a-new-reading-is-old',
    breaks: 'takes a reading of its own for the earlier balance before it is old enough',
    caughtBy: 'test/chain/accounts/read-lagged.unit.test.ts',
    expects: 'once that is old enough',
    edits: [
      {
        file: 'src/chain/accounts/read-lagged.ts',
        find: 'each.block <= block - lagBlocks',
        put: 'each.block <= block + 0 * lagBlocks',
      },
    ],
  },
]
