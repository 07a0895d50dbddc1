// Mutants that misread or misuse the prices of gas that forks change.
import type { Mutant } from './mutant.ts'

export const ofGasRules: readonly Mutant[] = [
  {
    name: 'gas-of-one-provider',
    breaks: 'believes the first provider about the prices of gas',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'two providers that differ',
    edits: [
      {
        file: 'src/chain/fees/read-gas-figures.ts',
        find: 'const enough = enoughOf(providers)',
        put: 'const enough = Math.min(1, enoughOf(providers))',
      },
    ],
  },
  {
    name: 'a-call-that-passes-is-a-base',
    breaks: 'takes a call that passes with any gas for the low base',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'leave a figure unread',
    edits: [
      {
        file: 'src/chain/fees/read-gas-figures.ts',
        find: 'if (!lacksIntrinsicGas(lower)) return undefined',
        put: "if (lower.kind === 'unknown') return undefined",
      },
    ],
  },
  {
    name: 'figures-outlive-a-fork',
    breaks: 'keeps the prices of gas across a fork, and one that is undone, for an hour',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'where the head shows a fork',
    edits: [
      {
        file: 'src/chain/fees/keep-gas-figures.ts',
        find: 'if (mark !== undefined && markOf(head) !== mark) cross()',
        put: 'if (mark !== undefined && markOf(head) === undefined) cross()',
      },
    ],
  },
  {
    name: 'deaf-to-announced-forks',
    breaks: 'reads no prices anew when a fork that eth_config announced is due',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'eth_config announces',
    edits: [
      {
        file: 'src/chain/fees/keep-gas-figures.ts',
        find: 'if (forkAt !== undefined && !forksMs.includes(1_000 * forkAt)) {',
        put: 'if (forkAt === 0 && !forksMs.includes(1_000 * forkAt)) {',
      },
    ],
  },
  {
    name: 'silence-unreads-a-figure',
    breaks: 'forgets a price of gas when an endpoint does not answer',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'where one of two does not answer',
    edits: [
      {
        file: 'src/chain/fees/keep-gas-figures.ts',
        find: 'const now = { ...without(seen, disputed), ...agreed }',
        put: 'const now = { ...agreed }',
      },
    ],
  },
  {
    name: 'idle-figures-count',
    breaks: 'refuses sends by prices of gas that no step has followed for long',
    caughtBy: 'test/chain/fees/gas-figures.unit.test.ts',
    expects: 'no step has followed the head lately',
    edits: [
      {
        file: 'src/chain/fees/keep-gas-figures.ts',
        find: '(clock.elapsed() - followedAt <= idleMs && seen)',
        put: '(clock.elapsed() - followedAt <= 1_000 * idleMs && seen)',
      },
    ],
  },
  {
    name: 'refuse-by-unread-figures',
    breaks: 'refuses by the prices of before a fork while none is read',
    caughtBy: 'test/domain/intrinsic-gas.test.ts',
    expects: 'an unknown figure',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'const isOld = figures.base === transferGas',
        put: 'const isOld = figures.base !== lowBaseGas',
      },
    ],
  },
  {
    name: 'floor-on-the-old-base',
    breaks: 'counts the floor of data from 21,000 after the base fell',
    caughtBy: 'test/domain/intrinsic-gas.test.ts',
    expects: 'on both sides of the fork',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'const start = base === transferGas ? transferGas : callGas(payload)',
        put: 'const start = base === undefined ? callGas(payload) : transferGas',
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
    name: 'new-receivers-for-ever',
    breaks: 'ends a transaction for a receiver that a payload ahead creates',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'behind a payload that creates the account',
    edits: [
      {
        file: 'src/domain/decide/queue/new-receiver.ts',
        find: 'if (isCreatedAhead) return undefined',
        put: 'if (isCreatedAhead && head.number < 0) return undefined',
      },
    ],
  },
  {
    name: 'insist-in-vain',
    breaks: 'ends a transaction although its client insists on its gas limit',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'the word of its client',
    edits: [
      {
        file: 'src/domain/decide/queue/new-receiver.ts',
        find: 'gasLimit === undefined || allowOutOfGas) return undefined',
        put: 'gasLimit === undefined || (allowOutOfGas && gasLimit < 0)) return undefined',
      },
    ],
  },
  {
    name: 'tight-for-ever',
    breaks: 'signs a payload anew below a new floor with the gas that it had',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'is signed anew with more gas',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'if (!isBelowLeastGas(transaction, rules)) return payload.gasLimit ?? gasLimit',
        put: 'if (!isBelowLeastGas(transaction, rules) || gasLimit > 0) return payload.gasLimit ?? gasLimit',
      },
    ],
  },
  {
    name: 'more-gas-than-named',
    breaks: 'raises a gas limit that the client named, after a fork',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'keeps its limit where the client named it',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'return payload.gasLimit === undefined && !isNoOp(latest) && latest.gasLimit',
        put: 'return !isNoOp(latest) && latest.gasLimit',
      },
    ],
  },
  {
    name: 'too-little-for-ever',
    breaks: 'waits for ever for a pool that holds a payload whose named limit is below a new floor',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'is given up once blocks have passed',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: "const gas = wants === 'payload' ? gasWordsOf(",
        put: "const gas = wants === 'payload' && invalid ? gasWordsOf(",
      },
    ],
  },
  {
    name: 'no-op-of-one-side',
    breaks: 'signs a no-op with gas that only one side of a fork accepts',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'is 21,000 on both sides',
    edits: [
      {
        file: 'src/domain/no-op.ts',
        find: 'return isCharged ? market.noOpGas : transferGas',
        put: 'return isCharged || market.noOpGas > 0 ? market.noOpGas : transferGas',
      },
    ],
  },
  {
    name: 'give-up-on-one-side',
    breaks: 'gives a payload up whose limit the service chose, when nodes on the other side of a fork call it invalid',
    with: ['gasFork'],
    expects: 'nothing is wrong with its payload',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'const sides = isRefused ? [osakaRules, amsterdamRules] : []',
        put: 'const sides = isRefused && !rules.floorGas ? [osakaRules, amsterdamRules] : []',
      },
    ],
  },
  {
    name: 'tight-in-vain',
    breaks: 'signs a payload again and again with a limit that no node accepts since a fork',
    with: ['gasFork'],
    expects: 'gas since before a fork',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'return Math.max(gasLimit, leastGasInFlight(transaction, rules), estimatedGas(transaction, observation) ?? 0)',
        put: 'return Math.max(gasLimit, Math.min(gasLimit, leastGasInFlight(transaction, rules)))',
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
  {
    name: 'tight-at-named-fees',
    breaks: 'signs no payload with more gas after a fork whose client named its fees and no limit',
    caughtBy: 'test/domain/decide/gas-rules.test.ts',
    expects: 'more gas at these fees',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: "if (!named || why === 'tooTight') return bidAgain",
        put: 'if (!named) return bidAgain',
      },
    ],
  },
]
