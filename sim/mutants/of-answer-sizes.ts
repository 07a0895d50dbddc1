// Mutants of the cost of one answer of a node: limits, the split of batches, and the parts that large answers keep.
import type { Mutant } from './mutant.ts'

const caughtBy = 'test/chain/nodes/large-answers.test.ts'

export const ofAnswerSizes: readonly Mutant[] = [
  {
    name: 'no-limit-on-an-answer',
    breaks: 'receives answers of any size',
    caughtBy,
    expects: 'a result above the limit of its method is unknown',
    edits: [{ file: 'src/chain/nodes/receive.ts', find: 'if (bytes > bytesMax) {', put: 'if (bytes < 0) {' }],
  },
  {
    name: 'parse-any-structure',
    breaks: 'parses an answer with any number of brackets and commas',
    caughtBy,
    expects: 'too many brackets and commas: refused',
    edits: [
      {
        file: 'src/chain/nodes/count-structure.ts',
        find: 'return marks > marksMax ?',
        put: 'return marks > marksMax * 1_000 ?',
      },
    ],
  },
  {
    name: 'share-a-batch-with-a-payload',
    breaks: 'puts calls whose answers a payload shapes into batches with others',
    caughtBy,
    expects: 'calls that a payload shapes leave alone, also beside others of one turn',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: 'const shaped = all.filter(({ call }) => isShapedByPayload(call))',
        put: 'const shaped = all.filter(({ call }) => isShapedByPayload(call) && all.length < 2)',
      },
    ],
  },
  {
    name: 'lose-a-batch-that-is-too-large',
    breaks: 'gives up a whole batch because one receipt in it is too large',
    caughtBy,
    expects: 'an answer that is too large for the limit is split until only the large receipt is unknown',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: "(posted.kind === 'body' || large.length > 0)",
        put: "posted.kind === 'body'",
      },
    ],
  },
  {
    name: 'blame-the-endpoint-for-a-payload',
    breaks: 'counts a receipt above the limit against the endpoint',
    caughtBy,
    expects: 'no failure of the endpoint: its payload made it so',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: '!posted.isTooLarge || !mayExceed(call)',
        put: '!posted.isTooLarge || mayExceed(call)',
      },
    ],
  },
  {
    name: 'batch-what-is-answered-in-part',
    breaks: 'goes on with batches although only their first call is answered',
    caughtBy,
    expects: 'only its first call is answered: after the second time',
    edits: [
      {
        file: 'src/chain/nodes/batch-size.ts',
        find: 'if (partsInRow < partsMax) return false',
        put: 'if (partsInRow > 0) return false',
      },
    ],
  },
  {
    name: 'an-empty-error-is-an-error',
    breaks: 'takes a result beside an empty error for an error',
    caughtBy,
    expects: 'a result beside an empty error',
    edits: [
      {
        file: 'src/chain/nodes/response-body.ts',
        find: "code === 0 && message === '' && 'result' in member ?",
        put: "code === 1 && message === '' && 'result' in member ?",
      },
    ],
  },
  {
    name: 'show-a-divided-secret',
    breaks: 'shows the part of a secret that stands before the cut of a long text',
    caughtBy,
    expects: 'shows no part of a secret that the cut divides',
    edits: [
      {
        file: 'src/chain/nodes/redact.ts',
        find: 'kept.slice(0, Math.max(0, kept.length - dividedMaxChars))',
        put: 'kept',
      },
    ],
  },
  {
    name: 'one-endpoint-takes-the-budget',
    breaks: 'lets one endpoint use up the bytes of all',
    caughtBy,
    expects: 'one endpoint leaves a part of the budget to the others',
    edits: [
      {
        file: 'src/chain/nodes/byte-budget.ts',
        find: 'const own = openByteBudget(total)',
        put: 'const own = openByteBudget(100 * total)',
      },
    ],
  },
  {
    name: 'await-a-receipt-that-is-too-large',
    breaks: 'waits for ever for a receipt that is too large to be read',
    caughtBy: 'test/chain/inclusions/denied-receipts.unit.test.ts',
    expects: 'a receipt that is too large to be read is as good as none',
    edits: [
      {
        file: 'src/chain/nodes/ask-about.ts',
        find: 'isAnswered(answer) || isTooLarge(answer)',
        put: 'isAnswered(answer)',
      },
    ],
  },
  {
    name: 'store-a-whole-revert-text',
    breaks: 'stores the text of a revert at its full length',
    caughtBy: 'test/chain/nodes/revert-reason.unit.test.ts',
    expects: 'the beginning stays',
    edits: [
      {
        file: 'src/domain/stored-text.ts',
        find: 'return text.length > charsMax ?',
        put: 'return text.length < 0 ?',
      },
    ],
  },
]
