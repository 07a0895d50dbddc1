// Mutants that ignore how a chain differs from Ethereum, or what a fork does to the prices of gas.
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
        find: 'if (fate) return fate',
        put: 'if (fate && !transaction.cancellation) return fate',
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
        find: 'if (onArrival) return onArrival',
        put: 'if (onArrival && !hasHad(patience, latest, situation)) return onArrival',
      },
      {
        file: 'src/domain/decide/race/bid.ts',
        find: 'if (onArrival) return onArrival',
        put: 'if (onArrival && bidder.own.length === 0) return onArrival',
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
        find: 'if (ordered.length > 0) return ordered',
        put: 'if (ordered.length > 0 && transaction.sequence < 0) return ordered',
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
        file: 'src/domain/decide/rules/arrival-order.ts',
        find: 'return wasAlwaysRejected(attempt) && !isKept && !isAhead(attempt, situation)',
        put: 'return wasAlwaysRejected(attempt) && (!isKept || isKept) && !isAhead(attempt, situation)',
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
    name: 'new-receivers-by-one-word',
    breaks: 'ends a transaction by the word of one provider that its receiver does not exist',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'a receiver is missing',
    edits: [
      {
        file: 'src/chain/accounts/read-receivers.ts',
        find: 'const enough = enoughOf(new Set(',
        put: 'const enough = 0.5 * enoughOf(new Set(',
      },
    ],
  },
  {
    name: 'give-up-on-one-side',
    breaks: 'gives a payload up whose limit the service chose, when nodes on the other side of a fork call it invalid',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'is signed anew with what both sides of a fork accept',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'const sides = isRefused ? [osakaRules, amsterdamRules] : []',
        put: 'const sides = isRefused && !rules.floorGas ? [osakaRules, amsterdamRules] : []',
      },
    ],
  },
  {
    name: 'raise-a-named-limit',
    breaks: 'signs a payload with more gas than its client named, as nodes refuse it since a fork',
    with: ['gasFork'],
    expects: 'were named or estimated',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'return payload.gasLimit === undefined && !isNoOp(latest) && latest.gasLimit < leastGasInFlight',
        put: 'return !isNoOp(latest) && latest.gasLimit < leastGasInFlight',
      },
    ],
  },
]
