// Code that may stand in one file only, or nowhere.
import type { SourceFile } from './import-matrix.ts'
import { codeOf } from './source.ts'

interface OnePlace {
  readonly what: string
  readonly pattern: RegExp
  /** Files, or folders with a slash at their end. */
  readonly places: readonly string[]
}

const onePlaces: readonly OnePlace[] = [
  {
    what: "reads the machine's clock",
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|\bperformance\s*\.\s*now\b|\bhrtime\b/,
    places: ['ops/clock.ts', 'dashboard/state/clock.ts'],
  },
  {
    what: 'waits on a timer',
    pattern: /\bnode:timers\b|\bsetTimeout\s*\(|\bsetInterval\s*\(/,
    places: ['ops/clock.ts', 'client/pause.ts', 'dashboard/state/clock.ts'],
  },
  {
    what: 'reads the environment',
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[/,
    // The second passes it on to the library of an HSM, without the service's secrets.
    places: ['main.ts', 'signers/pkcs11-environment.ts'],
  },
  {
    what: 'ends the process',
    pattern: /\bprocess\s*\.\s*(?:exit\b|exitCode\b|abort\b|reallyExit\b)/,
    places: ['main.ts'],
  },
  {
    what: 'draws randomness',
    pattern: /\bMath\s*\.\s*random\b|\brandom(?:Bytes|Int|UUID|FillSync|Fill)\b|\bgetRandomValues\b/,
    places: ['ops/random.ts', 'dashboard/state/fresh-key.ts'],
  },
  {
    what: "matches a node's prose",
    pattern:
      /nonce too (?:low|high)|already known|already imported|known transaction|\bunderpriced\b|insufficient funds|oldnonce|txpool is full/i,
    places: ['chain/sending/broadcast-outcome.ts'],
  },
  {
    what: 'reads a block, and may take another one for the requested one',
    pattern: /['"]eth_getBlockByNumber['"]/,
    places: [
      'chain/nodes/block-call.ts',
      // The limits of their answers, and what a large one keeps.
      'chain/nodes/expected-answer.ts',
      'chain/nodes/read-large-answer.ts',
      'ops/prometheus/chains.ts',
      'domain/rpc.ts',
      'cli/check/check-endpoint.ts',
      'cli/init/find-network.ts',
    ],
  },
  {
    what: "reads a receipt, and may take another transaction's for the requested one",
    pattern: /['"]eth_get(?:TransactionReceipt|BlockReceipts)['"]/,
    places: [
      'chain/inclusions/receipt.ts',
      'chain/inclusions/receipts-of-block.ts',
      'chain/nodes/expected-answer.ts',
      'chain/nodes/read-large-answer.ts',
      'ops/prometheus/chains.ts',
      'domain/rpc.ts',
    ],
  },
  { what: 'uses code under the AGPL', pattern: /@openzeppelin\/relayer/, places: [] },
  { what: 'writes to the console', pattern: /\bconsole\s*\./, places: [] },
]

interface RuleFacts {
  /** The rule's file, or its folder with a slash at its end, under domain/decide/. */
  readonly rule: string
  readonly facts: RegExp
  /** Files that may read them as well, with the reason beside. */
  readonly besides?: readonly string[]
}

/** Facts of rare worlds: among the decisions and in the engine, only the rule for that world reads them. plan/ declares them. */
const ruleFacts: readonly RuleFacts[] = [
  { rule: 'rules/arrival-order.ts', facts: /\bisFcfs\b|'fcfs'|\bkeepsFutureNonceMs\b/ },
  {
    rule: 'rules/sweeps.ts',
    facts: /\bisSweep\b/,
    // A spender that is recognized gives a sweep its value.
    besides: ['domain/decide/lost-history/recover.ts'],
  },
  { rule: 'rules/gas-reserve.ts', facts: /\breserveBalance\b|\bbalanceLagBlocks\b/ },
  { rule: 'rules/cost-bound.ts', facts: /\bcostMax\b/ },
  {
    rule: 'rules/gap-fillers.ts',
    facts: /\bgapRecord\b|\bfilledInHour\b|\bperStepMax\b/,
    // Its permit lifts the reach. The engine reads it.
    besides: ['domain/decide/rules/reach.ts', 'engine/step.ts'],
  },
  {
    rule: 'rules/reach.ts',
    facts: /\bdoubtedCount\b|\bsecondCount\b|\bisSecondCountOwn\b/,
    // A gap filler needs a second count, too. What is lacked is requested.
    besides: ['domain/decide/rules/gap-fillers.ts', 'domain/decide/facts/inquire.ts'],
  },
  {
    rule: 'rules/foreign-nonces.ts',
    facts: /\bisPoolUnseen\b|\bpoolCounts\b/,
    // The window looks for what a pool dropped. The engine observes, and remembers.
    besides: ['domain/decide/terms/window.ts', 'engine/step.ts'],
  },
  { rule: 'rules/give-up.ts', facts: /\bunshown\b|\botherAcceptedMsAgo\b|\brefusedBeforeMs\b/ },
  {
    rule: 'rules/give-up.ts',
    facts: /\brefusedByAll\b/,
    // Less gas may be taken before it is given up.
    besides: ['domain/decide/rules/refused-gas.ts'],
  },
  { rule: 'rules/second-witness.ts', facts: /\btestimonies\b|\bsecondWitness\b|\bisRefuted\b|\bisProven\b/ },
  { rule: 'rules/new-receiver.ts', facts: /\bmissingReceivers\b|\ballowOutOfGas\b/ },
  {
    rule: 'rules/holds.ts',
    facts: /\bhasHoldEnded\b|\blifecycle\.hold\b|\bheadSince\b/,
    // The engine remembers the head.
    besides: ['engine/step.ts'],
  },
  {
    rule: 'lost-history/',
    facts: /\blostNoOps\b|\bnoOpMatches\b|\buncheckedThrough\b|\blostHistory\b/,
    // While its check is open, the count is read anew. The engine observes, remembers, and reads the rows that the check compares.
    besides: ['domain/decide/facts/inquire.ts', 'engine/step.ts', 'engine/find-sent.ts'],
  },
]

function ruleViolations({ path, source }: SourceFile): readonly string[] {
  if (!/^(?:domain\/decide\/(?!plan\/)|engine\/)/.test(path)) return []
  const code = codeOf(source)
  return ruleFacts
    .filter(
      ({ rule, facts, besides = [] }) =>
        !path.startsWith(`domain/decide/${rule}`) && !besides.includes(path) && facts.test(code),
    )
    .map(({ rule, facts }) => `src/${path}: reads ${facts.exec(code)?.[0]}; the place for it is domain/decide/${rule}`)
}

const linesMax = 400
const folderNames = ['utils', 'util', 'helpers', 'common', 'misc', 'shared', 'lib']

/** Each broken rule, in words; empty when the file keeps them. */
export function placeViolations({ path, source }: SourceFile): readonly string[] {
  const code = codeOf(source)
  const violations = onePlaces
    .filter(({ pattern, places }) => !places.includes(path) && pattern.test(code))
    .map(({ what, pattern, places }) => {
      const line = code.slice(0, code.search(pattern)).split('\n').length
      return `src/${path}:${line} ${what}; the place for it is ${places.join(', ') || 'nowhere'}`
    })
  violations.push(...ruleViolations({ path, source }))
  const lines = source.trimEnd().split('\n').length
  if (lines > linesMax) violations.push(`src/${path}: has ${lines} lines, more than ${linesMax}`)
  if (/(^|\/)index\.[cm]?tsx?$/.test(path)) violations.push(`src/${path}: is a barrel by its name`)
  const drawer = path.split('/').find((part) => folderNames.includes(part.replace(/\.ts$/, '')))
  if (drawer !== undefined) violations.push(`src/${path}: "${drawer}" does not name its content`)
  if (!source.startsWith('// ') && !source.startsWith('#!')) {
    violations.push(`src/${path}: does not begin with a line that says its job`)
  }
  return violations
}
