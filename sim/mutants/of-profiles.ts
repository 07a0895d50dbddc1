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
        find: 'if (isFcfs(policy)) return bidOnArrival(bidder, market, policy.profile)',
        put: 'if (isFcfs(policy) && bidder.own.length === 0) return bidOnArrival(bidder, market, policy.profile)',
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
        find: 'if (isFcfs(policy) && isOrdered(transaction, situation)) {',
        put: 'if (isFcfs(policy) && isOrdered(transaction, situation) && transaction.sequence < 0) {',
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
        file: 'src/domain/decide/queue/one-by-one.ts',
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
    caughtBy: 'test/chain/fees/no-op.test.ts',
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
    caughtBy: 'test/chain/fees/no-op.test.ts',
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
    caughtBy: 'test/chain/sending/send-raw.test.ts',
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
    caughtBy: 'test/chain/sending/send-raw.test.ts',
    expects: 'the receipt of a send that waits for it is an acceptance',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: 'return methods.sendSync ? {',
        put: 'return methods.sendSync && methods.sendConditional ? {',
      },
    ],
  },
  {
    name: 'rule-of-the-client-only',
    breaks: 'prices replacements by the name of the client, whatever the profile says of the chain',
    caughtBy: 'test/chain/fees/replacement-rule.test.ts',
    expects: 'the rule of a profile counts before those of the clients',
    edits: [
      {
        file: 'src/chain/nodes/endpoints.ts',
        find: 'if (given) return given',
        put: 'if (given && all.length === 0) return given',
      },
    ],
  },
  {
    name: 'shown-over-the-table',
    breaks: 'lets what a chain shows count before the list of rollups',
    caughtBy: 'test/config/network-profiles.test.ts',
    expects: 'only where nothing else says how a chain is made',
    edits: [
      {
        file: 'src/domain/network-profiles.ts',
        find: `listed === undefined || listed === 'rollup' ? (read ?? listed) : listed`,
        put: `read ?? listed`,
      },
    ],
  },
  {
    name: 'tags-under-what-is-shown',
    breaks: 'lets a general tag count before what the chain shows',
    caughtBy: 'test/config/network-profiles.test.ts',
    expects: 'only where nothing else says how a chain is made',
    edits: [
      {
        file: 'src/domain/network-profiles.ts',
        find: `facts: [...general, ...made, ...specific]`,
        put: `facts: [...made, ...general, ...specific]`,
      },
    ],
  },
  {
    name: 'development-chains-are-read',
    breaks: 'reads the make of development nodes',
    caughtBy: 'test/config/network-profiles.test.ts',
    expects: 'only where nothing else says how a chain is made',
    edits: [
      {
        file: 'src/domain/network-profiles.ts',
        find: `byChainId.has(chainId) || developmentChains.includes(chainId)`,
        put: `byChainId.has(chainId) || (developmentChains.includes(chainId) && chainId < 0)`,
      },
    ],
  },
  {
    name: 'one-endpoint-shows-a-make',
    breaks: 'believes what one of two endpoints shows of the make',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'what one of two endpoints shows alone',
    edits: [
      {
        file: 'src/chain/nodes/read-shown.ts',
        find: `values.size === 1 ? value : undefined`,
        put: `values.size >= 1 ? value : undefined`,
      },
    ],
  },
  {
    name: 'errors-are-no-code',
    breaks: 'takes an error for the absence of a contract',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'no error counts as an absent contract',
    edits: [
      {
        file: 'src/chain/nodes/read-shown.ts',
        find: `if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined\n`,
        put: `if (answer.kind !== 'value' || typeof answer.value !== 'string') return false\n`,
      },
    ],
  },
  {
    name: 'one-contract-is-a-make',
    breaks: 'takes one of two contracts for the make',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'one of two contracts is not enough',
    edits: [
      {
        file: 'src/chain/nodes/read-shown.ts',
        find: `codes.every((code) => code === true)`,
        put: `codes.some((code) => code === true)`,
      },
    ],
  },
  {
    name: 'two-makes-are-the-first',
    breaks: 'takes a chain with the contracts of two makes for one of the first',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'no chain is made in two ways',
    edits: [
      {
        file: 'src/chain/nodes/read-shown.ts',
        find: `made.length === 1 && first`,
        put: `made.length >= 1 && first`,
      },
    ],
  },
  {
    name: 'make-is-read-once',
    breaks: 'gives up where the endpoints have not answered at once',
    caughtBy: 'test/registry/registry.test.ts',
    expects: 'what a chain shows of itself is read until',
    edits: [
      {
        file: 'src/registry/learn-shown.ts',
        find: `while (!closed.signal.aborted) {`,
        put: `for (let first = true; first; first = false) {`,
      },
    ],
  },
  {
    name: 'learned-and-not-followed',
    breaks: 'learns the make of a chain, and goes on with the profile as it was',
    caughtBy: 'test/registry/registry.test.ts',
    expects: 'what a chain shows of itself is read until',
    edits: [
      {
        file: 'src/registry/open-registry.ts',
        find: `if (present === revision && !opened.hasLearned()) return`,
        put: `if (present === revision) return`,
      },
    ],
  },
  {
    name: 'constant-gas-for-ever',
    breaks: 'repeats a no-op with 21,000 gas where the chain demands more',
    caughtBy: 'test/chain/fees/no-op.test.ts',
    expects: 'where the profile has a constant',
    edits: [
      { file: 'src/chain/fees/read-no-op.ts', find: 'isEstimated ||= isTooTight', put: 'isEstimated &&= isTooTight' },
    ],
  },
  {
    name: 'forget-what-was-too-tight',
    breaks: 'signs the next no-op with 21,000 gas again where that was too little',
    caughtBy: 'test/chain/fees/no-op.test.ts',
    expects: 'where the profile has a constant',
    edits: [
      {
        file: 'src/chain/fees/read-no-op.ts',
        find: 'isEstimated ? gas(at',
        put: "isEstimated && (isTooTight || profile.noOpGas === 'estimated') ? gas(at",
      },
    ],
  },
  {
    name: 'a-reverting-account-has-no-no-op',
    breaks: 'estimates no no-op of an account whose code reverts',
    caughtBy: 'test/chain/fees/no-op.test.ts',
    expects: 'where the code of a delegated account reverts',
    edits: [
      {
        file: 'src/chain/fees/read-no-op.ts',
        find: 'const last = isReverted ?',
        put: "const last = isReverted && answer.kind === 'value' ?",
      },
    ],
  },
  {
    name: 'any-error-is-a-revert',
    breaks: 'estimates a transfer in place of the no-op after any error',
    caughtBy: 'test/chain/fees/no-op.test.ts',
    expects: 'where the code of a delegated account reverts',
    edits: [
      {
        file: 'src/chain/fees/read-no-op.ts',
        find: 'revertReason(answer) !== undefined',
        put: "answer.kind !== 'value'",
      },
    ],
  },
  {
    name: 'a-constant-over-the-estimate',
    breaks: 'goes on with 21,000 gas after a higher estimate',
    caughtBy: 'test/domain/decide/no-op-gas.test.ts',
    expects: '21,000 where the profile says so',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'if (isConstant && market.noOpGas <= transferGas) return',
        put: 'if (isConstant) return',
      },
    ],
  },
  {
    name: 'an-old-arbos-is-silent',
    breaks: 'reads the order of an older ArbOS for ever',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'collects tips',
    edits: [
      {
        file: 'src/chain/nodes/read-shown.ts',
        find: 'revertReason(answer) === undefined ? undefined : false',
        put: 'undefined',
      },
    ],
  },
  {
    name: 'any-word-is-a-boolean',
    breaks: 'takes any number for the answer whether a chain collects tips',
    caughtBy: 'test/chain/nodes/read-shown.test.ts',
    expects: 'collects tips',
    edits: [{ file: 'src/chain/nodes/read-shown.ts', find: '{63}[01]$/', put: '{63}[0-9a-f]$/' }],
  },
  {
    name: 'tips-over-the-file',
    breaks: 'lets what a chain shows of its order count before the file',
    caughtBy: 'test/config/network-profiles.test.ts',
    expects: 'a chain that collects tips orders by them',
    edits: [
      {
        file: 'src/domain/network-profiles.ts',
        find: "return withOverrides(isByTips ? { ...profile, pool: 'private' } : profile, overrides)",
        put: "return withOverrides(withOverrides(profile, overrides), isByTips ? { pool: 'private' } : {})",
      },
    ],
  },
  {
    name: 'tips-on-any-chain',
    breaks: 'treats a public pool as a private one because a contract answers',
    caughtBy: 'test/config/network-profiles.test.ts',
    expects: 'a chain that collects tips orders by them',
    edits: [
      {
        file: 'src/domain/network-profiles.ts',
        find: "const isByTips = profile.pool === 'fcfs' &&",
        put: 'const isByTips =',
      },
    ],
  },
  {
    name: 'order-is-read-once',
    breaks: 'goes on to order as the chain did at the start',
    caughtBy: 'test/registry/registry.test.ts',
    expects: 'what a chain shows of itself is read until',
    edits: [{ file: 'src/registry/learn-shown.ts', find: "fact === 'make') return", put: 'Boolean(fact)) return' }],
  },
]
