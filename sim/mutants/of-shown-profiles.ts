// Mutants of the chain profile that a service learns from nodes and from tables.
import type { Mutant } from './mutant.ts'

export const ofShownProfiles: readonly Mutant[] = [
  {
    name: 'rule-of-the-client-only',
    breaks: 'prices replacements by the name of the client, whatever the profile says of the chain',
    caughtBy: 'test/chain/fees/replacement-rule.unit.test.ts',
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
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
    expects: 'where the profile has a constant',
    edits: [
      { file: 'src/chain/fees/read-no-op.ts', find: 'isEstimated ||= isTooTight', put: 'isEstimated &&= isTooTight' },
    ],
  },
  {
    name: 'forget-what-was-too-tight',
    breaks: 'signs the next no-op with 21,000 gas again where that was too little',
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
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
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
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
    caughtBy: 'test/chain/fees/no-op.unit.test.ts',
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
