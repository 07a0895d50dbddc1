// The engine as it would be if it believed one endpoint, or the wrong two, before a final statement.
import type { Mutant } from './mutant.ts'

const decided = 'test/domain/decide/rules/second-witness.test.ts'
const called = 'test/chain/inclusions/call-witnesses.test.ts'
const rule = 'src/domain/witness.ts'
const viewing = 'src/chain/inclusions/witness-view.ts'
const ledger = 'src/chain/inclusions/witness-ledger.ts'

export const ofWitnesses: readonly Mutant[] = [
  {
    name: 'one-estimate-reverts',
    breaks: 'ends a payload that one endpoint of several calls reverting',
    caughtBy: 'test/chain/fees/believe-estimates.unit.test.ts',
    expects: 'by one of two, or of three, end nothing',
    edits: [
      {
        file: 'src/chain/fees/believe-estimates.ts',
        find: 'if (ofGas.length === 0 || ofFailure.length > 1)',
        put: 'if (ofFailure.length > 0)',
      },
    ],
  },
  {
    name: 'one-estimate-signs',
    breaks: 'signs the gas that one endpoint estimates, whatever others say',
    caughtBy: 'test/chain/fees/believe-estimates.unit.test.ts',
    expects: 'where two others estimate 43,249, is not signed',
    edits: [
      {
        file: 'src/chain/fees/believe-estimates.ts',
        find: 'return isAlike(one.gas, other.gas, alikeFactor)',
        put: 'return true',
      },
    ],
  },
  {
    name: 'estimate-errors-at-once',
    breaks: 'ends a payload whose estimate fails once in words of no table',
    with: ['estimates'],
    expects: 'it was given up, and nothing is wrong with its payload',
    edits: [
      {
        file: 'src/chain/fees/remember-failures.ts',
        find: 'return run.readings >= readingsMin && now - run.since >= lastingMs',
        put: 'return true',
      },
    ],
  },
  {
    name: 'estimate-errors-of-one-endpoint',
    breaks: 'ends a payload whose estimate fails at one endpoint, while the others are silent',
    caughtBy: 'test/chain/fees/believe-estimates.unit.test.ts',
    expects: 'by one of two count no more than a revert',
    edits: [
      {
        file: 'src/chain/fees/believe-estimates.ts',
        find: 'const isTooFew = isAlone && believing.silence.ms() < aloneAfterMs',
        put: 'const isTooFew = false',
      },
    ],
  },
  {
    name: 'one-witness-for-a-verdict',
    breaks: 'makes final statements on the word of one endpoint',
    with: ['falseInclusion'],
    expects: 'which no block holds',
    edits: [
      {
        file: rule,
        find: "if (rule.secondWitness === 'off') return true",
        put: 'if (rule.secondWitness !== undefined) return true',
      },
    ],
  },
  {
    name: 'required-and-alone',
    breaks: 'lets one endpoint suffice where two are required',
    caughtBy: decided,
    expects: 'and for long',
    edits: [
      { file: rule, find: "(rule.secondWitness === 'prefer' ? 1 : 2)", put: '(rule.secondWitness.length > 0 ? 1 : 2)' },
    ],
  },
  {
    name: 'one-denial-is-enough',
    breaks: 'takes back an inclusion that one endpoint denies and others may confirm yet',
    caughtBy: decided,
    expects: 'the others may answer yet',
    edits: [
      {
        file: rule,
        find: 'refutedBy.length === 1 && isAlone(testimony, rule))',
        put: 'refutedBy.length === 1)',
      },
    ],
  },
  {
    name: 'a-false-inclusion-stays',
    breaks: 'never takes back an inclusion that two endpoints refute',
    caughtBy: decided,
    expects: 'open again once refuted',
    edits: [
      {
        file: 'src/domain/decide/rules/second-witness.ts',
        find: 'if (isRefuted(testimony, policy)) ',
        put: 'if (isRefuted({ ...testimony, refutedBy: [] }, policy)) ',
      },
    ],
  },
  {
    name: 'one-word-refuses-a-delete',
    breaks: 'leaves a payload mined that one endpoint shows in a block, and another denies',
    caughtBy: decided,
    expects: 'counts as in flight',
    edits: [{ file: rule, find: 'return unlistedBy.length > 0 &&', put: 'return unlistedBy.length > 9 &&' }],
  },
  {
    name: 'one-word-is-the-cost',
    breaks: 'keeps the charge of one receipt, which no second one shows',
    caughtBy: decided,
    expects: 'is the cost of the final transaction',
    edits: [
      {
        file: rule,
        find: 'return { ...rest, ...testimony.charge }',
        put: 'return { ...inclusion, ...testimony.charge }',
      },
    ],
  },
  {
    name: 'lost-receipt-is-no-matter',
    breaks: 'takes the list of a block for the receipt of a no-op',
    caughtBy: called,
    expects: 'a no-op with a cost',
    edits: [
      {
        file: viewing,
        find: 'if (needsReceipt(claim) && !result)',
        put: 'if (claim.succeeded !== undefined && !result)',
      },
    ],
  },
  {
    name: 'one-word-ends-a-race',
    breaks: 'takes a contradicted inclusion for the end of a cancellation',
    caughtBy: decided,
    expects: 'ends no cancellation',
    edits: [
      {
        file: 'src/domain/decide/rules/second-witness.ts',
        find: 'return testimony !== undefined && isContradicted(testimony)',
        put: 'return testimony !== undefined && testimony.unlistedBy.length > 9',
      },
    ],
  },
  {
    name: 'one-word-confirms',
    breaks: 'calls a transaction confirmed by the word of one endpoint',
    caughtBy: decided,
    expects: 'needs a second word',
    edits: [
      {
        file: 'src/domain/decide/rules/second-witness.ts',
        find: 'silentMs >= silentShownMs\n}',
        put: 'silentMs >= 0\n}',
      },
    ],
  },
  {
    name: 'silence-ends-a-contradiction',
    breaks: 'confirms a contradicted inclusion once the others have been silent for a minute',
    caughtBy: decided,
    expects: 'ends no contradiction',
    edits: [
      {
        file: 'src/domain/decide/rules/second-witness.ts',
        find: '!testimony || transaction.lifecycle.isContradicted',
        put: '!testimony',
      },
    ],
  },
  {
    name: 'a-count-asks-nobody',
    breaks: 'believes a count whose spender nothing shows',
    caughtBy: 'test/chain/accounts/second-count.unit.test.ts',
    expects: 'without a spender',
    edits: [
      {
        file: 'src/chain/accounts/second-count.ts',
        find: 'if (!isUrgent && (head <= since.head',
        put: 'if (!isUrgent || (head <= since.head',
      },
    ],
  },
  {
    name: 'one-word-raises-a-price',
    breaks: 'takes the refusal of a price from one endpoint, while another may hold the bytes',
    caughtBy: 'test/chain/sending/refused-price.unit.test.ts',
    expects: 'counts only while',
    edits: [
      {
        file: 'src/chain/sending/broadcast.ts',
        find: '(isForPrice(outcome) && endpoint.answers())',
        put: '(isForPrice(outcome) && !endpoint.answers())',
      },
    ],
  },
  {
    name: 'a-lie-is-a-reorganization',
    breaks: 'logs a false inclusion that others refuted as a reorganization',
    caughtBy: 'test/engine/taken-back.test.ts',
    expects: 'false inclusion',
    edits: [
      {
        file: 'src/engine/log-taken-back.ts',
        find: "return decision.do === 'reopen' ? decision.why",
        put: "return decision.do === 'reopen' ? 'reorganized'",
      },
    ],
  },
  {
    name: 'each-endpoint-is-a-provider',
    breaks: 'counts two endpoints of one provider as two witnesses',
    caughtBy: called,
    expects: 'endpoints of one provider',
    edits: [
      {
        file: 'src/chain/inclusions/call-witnesses.ts',
        find: 'const { provider } = endpoint',
        put: 'const provider = String(endpoint.index)',
      },
    ],
  },
  {
    name: 'believe-what-two-refuted',
    breaks: 'takes a refuted inclusion from the endpoint that repeats it',
    caughtBy: called,
    expects: 'what two refuted',
    edits: [
      {
        file: ledger,
        find: 'said.shownBy.length < witnessesNeeded &&',
        put: 'said.shownBy.length > witnessesNeeded &&',
      },
    ],
  },
  {
    name: 'a-lost-answer-ends-a-contradiction',
    breaks: 'forgets the word of a witness that is silent for a moment, so that a verdict comes and goes',
    caughtBy: called,
    expects: 'stands for a minute',
    edits: [{ file: ledger, find: 'at - word.at <= keptDeniedMs', put: 'at - word.at < 0' }],
  },
  {
    name: 'witnesses-before-the-tag',
    breaks: 'calls witnesses before a transaction waits for its tag, and never compares their tags then',
    with: ['tagsAhead', 'finality'],
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/decide/rules/second-witness.ts',
        find: "...(typeof finality !== 'number' && { tag: finality })",
        put: "...(typeof finality === 'undefined' && { tag: finality })",
      },
    ],
  },
  {
    name: 'a-witness-without-the-tag',
    breaks: 'lets an endpoint confirm finality whose own tag is below the block',
    caughtBy: called,
    expects: 'own tag',
    edits: [
      {
        file: viewing,
        find: 'named !== undefined && named.number >= block.number',
        put: 'named !== undefined || block.number >= 0',
      },
    ],
  },
  {
    name: 'any-result',
    breaks: 'takes the result of an execution from one endpoint',
    caughtBy: called,
    expects: 'the result of a payload',
    edits: [
      {
        file: viewing,
        find: 'result?.succeeded === claim.succeeded ?',
        put: 'result?.succeeded !== undefined ?',
      },
    ],
  },
  {
    name: 'alone-at-the-head',
    breaks: 'makes the newest block final on the word of one, beside endpoints that are silent',
    caughtBy: decided,
    expects: 'in a block of just now',
    edits: [{ file: rule, find: 'laterBlocks >= confirmingBlocks.depth', put: 'laterBlocks >= 0' }],
  },
]
