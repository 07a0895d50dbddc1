// Mutants that ignore how a chain differs from Ethereum.
import type { Mutant } from './mutant.ts'

export const ofProfiles: readonly Mutant[] = [
  {
    name: 'race-what-is-ordered',
    breaks: 'signs no-ops against a transaction that a sequencer has ordered already',
    with: ['orderReceipts'],
    expects: 'a receipt had shown its payload',
    edits: [
      {
        file: 'src/domain/decide/race/cancel-in-flight.ts',
        find: 'if (!isFcfs(situation.policy)) {',
        put: 'if (!isFcfs(situation.policy) || transaction.cancellation) {',
      },
    ],
  },
  {
    name: 'bid-where-price-buys-nothing',
    breaks: 'bids for a place where transactions are ordered as they come',
    with: ['fcfs'],
    expects: 'which pays the base fee',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: 'if (isFcfs(policy)) return waited',
        put: 'if (isFcfs(policy) && waited < patience.blocks) return waited',
      },
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'if (isFcfs(policy)) return bidFcfs(bidder, market, policy.profile)',
        put: 'if (isFcfs(policy) && bidder.own.length === 0) return bidFcfs(bidder, market, policy.profile)',
      },
    ],
  },
  {
    name: 'replace-what-is-ordered',
    breaks: 'signs a new payload although a sequencer has ordered the one before',
    with: ['orderReceipts'],
    expects: 'a receipt had shown the payload before it',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: "if (pool === 'fcfs' && wasOrdered(transaction)) {",
        put: "if (pool === 'fcfs' && wasOrdered(transaction) && transaction.sequence < 0) {",
      },
      {
        file: 'src/domain/decide/race/explain-contender.ts',
        find: 'if (isFcfs(policy) && isOrderedBySequencer(transaction, situation)) {',
        put: 'if (isFcfs(policy) && isOrderedBySequencer(transaction, situation) && transaction.sequence < 0) {',
      },
    ],
  },
  {
    name: 'accept-a-hopeless-replacement',
    breaks: 'accepts a PUT although the sequencer has ordered the payload',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'a payload that was ordered, or whose nonce is spent, is not replaced',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: "if (pool === 'fcfs' && wasOrdered(transaction)) {",
        put: "if (pool === 'fcfs' && wasOrdered(transaction) && transaction.sequence < 0) {",
      },
    ],
  },
  {
    name: 'outbid-where-nothing-waits',
    breaks: 'prices a replacement over the payload before it where no pool holds that',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'another is replaced under the same nonce at the price of the market',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'const rivals = isFcfs(policy) ? [] : rivalsOf(transaction)',
        put: 'const rivals = rivalsOf(transaction)',
      },
    ],
  },
  {
    name: 'replace-from-the-reserve',
    breaks: 'pays for a new payload from cancel_reserve',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'its value and gas leave the reserve',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'const funds = spendable(work, balance, market, reserve) + own',
        put: "const funds = (contender.wants === 'replacement' ? balance : spendable(work, balance, market, reserve)) + own",
      },
    ],
  },
  {
    name: 'drop-a-nonce-that-is-kept',
    breaks: 'takes "nonce too high" for the end of a transaction that the sequencer keeps for a moment',
    caughtBy: 'test/domain/decide/cancel-in-flight.test.ts',
    expects: 'for a nonce that is too high may have been kept and ordered',
    edits: [
      {
        file: 'src/domain/decide/race/cancel-in-flight.ts',
        find: 'return wasAlwaysRejected(attempt) && !mayBeKept && !isAhead(attempt, situation)',
        put: 'return wasAlwaysRejected(attempt) && (!mayBeKept || mayBeKept) && !isAhead(attempt, situation)',
      },
    ],
  },
  {
    name: 'forget-a-spent-nonce',
    breaks: 'signs a no-op although a sequencer says that the nonce is spent',
    caughtBy: 'test/domain/decide/cancel-in-flight.test.ts',
    expects: 'or whose nonce it calls spent, which no block shows yet, waits as well',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "return isSequenced(attempt) || rejectionOf(attempt)?.code === 'nonceTooLow'",
        put: "return isSequenced(attempt) && rejectionOf(attempt)?.code !== 'nonceTooLow'",
      },
    ],
  },
  {
    name: 'all-nonces-at-once',
    breaks: 'sends a nonce before the one below it is accepted, where no node keeps it',
    caughtBy: 'test/domain/decide/one-by-one.test.ts',
    expects: 'one of the queue gets a nonce, and the next step follows at once',
    edits: [
      {
        file: 'src/domain/decide/queue/strict-nonce-order.ts',
        find: 'return keepsFutureNonceMs > 0',
        put: 'return keepsFutureNonceMs > 3_600_000',
      },
    ],
  },
  {
    name: 'no-op-of-21000',
    breaks: 'gives every no-op the gas of a transfer on Ethereum',
    with: ['l1Gas'],
    expects: 'has 21000 gas',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'if (isConstant && market.noOpGas <= transferGas) return isCharged ? market.noOpGas : transferGas',
        put: 'if (isConstant || market.noOpGas > 0) return transferGas',
      },
    ],
  },
  {
    name: 'floor-everywhere',
    breaks: "gives a no-op Ethereum's least gas where it does not hold",
    caughtBy: 'test/domain/decide/no-op-gas.test.ts',
    expects: 'no margin where the whole limit is paid for',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'return profile.floorGas ? Math.max(transferGas, limit) : limit',
        put: 'return profile.floorGas ? limit : Math.max(transferGas, limit)',
      },
    ],
  },
  {
    name: 'believe-a-tight-estimate',
    breaks: 'keeps the estimate of a no-op that nodes call invalid',
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
    expects: 'an estimate stands for twenty blocks',
    edits: [
      {
        file: 'src/chain/fees/read-no-op.ts',
        find: 'age < (isTooTight ? 1 : gasKeptBlocks)',
        put: 'age < (isTooTight ? gasKeptBlocks : gasKeptBlocks)',
      },
    ],
  },
  {
    name: 'pay-for-a-margin',
    breaks: 'raises the gas limit of a no-op where the whole limit is paid for',
    caughtBy: 'test/domain/decide/no-op-gas.test.ts',
    expects: 'no margin where the whole limit is paid for',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'const margin = isCharged ? 0 : marginPercent',
        put: 'const margin = isCharged ? marginPercent : marginPercent',
      },
    ],
  },
  {
    name: 'forget-the-fee-for-l1',
    breaks: 'sets aside the gas of a no-op, and not its fee for data on L1',
    caughtBy: 'test/domain/decide/no-op-gas.test.ts',
    expects: 'the reserve holds two no-ops with their fee for L1',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'return BigInt(gasLimit) * feeCap(fees) + noOpL1Fee',
        put: 'return BigInt(gasLimit) * feeCap(fees) + 0n * noOpL1Fee',
      },
    ],
  },
  {
    name: 'pay-for-gas-only',
    breaks: 'sends a payload that the balance covers without its fee for data on L1',
    with: ['l1Fee'],
    expects: 'to be kept back',
    edits: [
      {
        file: 'src/domain/l1-fee.ts',
        find: 'return noOpL1Fee + BigInt(bytes) * l1FeePerByte',
        put: 'return 0n * noOpL1Fee * BigInt(bytes) * l1FeePerByte',
      },
    ],
  },
  {
    name: 'one-oracle-for-all',
    breaks: "reads the OP stack's oracle where the profile names another",
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
    expects: 'an oracle at another address, which has the one function only',
    edits: [
      {
        file: 'src/chain/fees/read-no-op.ts',
        find: 'readingL1Fee(endpoints, profile.l1FeeOracle)',
        put: 'readingL1Fee(endpoints)',
      },
    ],
  },
  {
    name: 'price-without-the-data',
    breaks: 'prices a payload by the market where the price depends on its data',
    caughtBy: 'test/domain/decide/price-by-data.test.ts',
    expects: 'the tip is at least the estimate',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: "const least = estimate?.kind === 'gas' ? estimate.tip : undefined",
        put: "const least = estimate?.kind === 'gas' ? undefined : undefined",
      },
    ],
  },
  {
    name: 'send-without-its-end',
    breaks: 'keeps the end of a transaction from a sequencer that would enforce it',
    caughtBy: 'test/chain/sending/send-raw.unit.test.ts',
    expects: 'an end goes along in whole seconds',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: 'if (methods.sendConditional && validUntil !== undefined) {',
        put: 'if (methods.sendConditional && validUntil !== undefined && validUntil < 0) {',
      },
    ],
  },
  {
    name: 'send-and-do-not-wait',
    breaks: 'sends by the usual method where the profile names the one that returns the receipt',
    caughtBy: 'test/chain/sending/send-raw.unit.test.ts',
    expects: 'the receipt of a send that waits for it is an acceptance',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: 'return methods.sendSync ? {',
        put: 'return methods.sendSync && methods.sendConditional ? {',
      },
    ],
  },
]
