// The engine as it would be if it took an answer for an order, or waited for receipts where others wait behind it.
import type { Mutant } from './mutant.ts'

const canceled = 'test/domain/decide/cancel-in-flight.test.ts'
const sent = 'test/chain/sending/send-raw.unit.test.ts'

export const ofOrders: readonly Mutant[] = [
  {
    name: 'a-hash-is-an-order',
    breaks: 'takes an accepted hash for an order, and waits for what a sequencer may have lost',
    caughtBy: canceled,
    expects: 'only the hash was answered',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "broadcast.outcome.kind === 'accepted' && broadcast.outcome.code === 'ordered'",
        put: "broadcast.outcome.kind === 'accepted'",
      },
    ],
  },
  {
    name: 'replace-no-accepted-one',
    breaks: 'refuses a PUT of a payload that a sequencer has accepted, and may have lost',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'one of which only the hash was answered',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: "if (pool === 'fcfs' && wasOrdered(transaction)) {",
        put: "if (pool === 'fcfs' && 'attempts' in transaction.lifecycle && transaction.lifecycle.phase === 'inFlight') {",
      },
    ],
  },
  {
    name: 'an-order-is-a-refusal',
    breaks: 'remembers the code of an acceptance as that of a refusal, which the database does not hold',
    with: ['orderReceipts'],
    expects: 'that retention may remove, work is',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "return outcome.kind === 'rejected' || outcome.kind === 'unknown' ? outcome.code : undefined",
        put: "return 'code' in outcome ? (outcome.code as RefusalCode) : undefined",
      },
    ],
  },
  {
    name: 'orders-prove-funds',
    breaks: 'repeats for ever a no-op that a sequencer accepts and the account cannot pay for',
    with: ['earlyHashes'],
    expects: 'have not ended',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: "code === 'insufficientFunds' || isAboveBalance(contender.transaction, latest, observation)",
        put: "code === 'insufficientFunds'",
      },
    ],
  },
  {
    name: 'repeat-with-funds-unread',
    breaks: 'never reads the balance while a sequencer accepts the bytes again and again',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'the balance is read before',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: 'mayBeLeftOut && again.length > 0 && observation.balance === undefined',
        put: 'mayBeLeftOut && again.length > 1 && observation.balance === undefined',
      },
    ],
  },
  {
    name: 'keep-a-price-above-balance',
    breaks: 'calls no price better than one that the account cannot pay, where nobody refused it',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'signed anew at a price within',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: "isShort || rejectionOf(latest)?.code === 'insufficientFunds'",
        put: "rejectionOf(latest)?.code === 'insufficientFunds'",
      },
    ],
  },
  {
    name: 'repeat-above-balance',
    breaks: 'repeats at a sequencer what the account cannot pay for, and not the cheaper one that it can',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'goes out again in its place',
    edits: [
      {
        file: 'src/domain/decide/race/rebroadcast.ts',
        find: 'isFcfs(policy) && !isCovered(latest) ? (accepted.findLast(isCovered) ?? latest) : latest',
        put: 'latest',
      },
    ],
  },
  {
    name: 'older-of-equal-bytes',
    breaks: 'calls a replacement the older payload, where both are the same bytes and one receipt is lost',
    caughtBy: 'test/chain/inclusions/read-receipts.unit.test.ts',
    expects: 'for the same bytes twice',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: '(attemptWith(attempts, attempt.hash) ?? attempt)',
        put: 'attempt',
      },
    ],
  },
  {
    name: 'a-receipt-is-a-hash',
    breaks: 'forgets that an answer was a receipt, and sends a no-op in vain',
    caughtBy: sent,
    expects: 'the receipt of a send',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: "return { kind: 'accepted', code: 'ordered' }",
        put: "return { kind: 'accepted' }",
      },
    ],
  },
  {
    name: 'believe-the-words-of-a-wait',
    breaks: "reads the words of EIP-7966's code 5, which says nothing for certain",
    caughtBy: sent,
    expects: 'what they prove by their codes',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: 'if (code === 5) return',
        put: 'if (code === 55) return',
      },
    ],
  },
  {
    name: 'a-gap-is-unknown',
    breaks: "does not read EIP-7966's code 6 as a gap",
    caughtBy: sent,
    expects: 'what they prove by their codes',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: 'return code === 6 ?',
        put: 'return code === 66 ?',
      },
    ],
  },
  {
    name: 'wait-in-one-batch',
    breaks: 'sends those that wait for receipts in one request, so that each waits for those before it',
    caughtBy: sent,
    expects: 'have a request each',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: 'all.filter(({ call }) => call.method === waitingSend)',
        put: 'all.filter(({ call }) => call.method === waitingSend && call.params.length === 0)',
      },
    ],
  },
  {
    name: 'wait-without-bound',
    breaks: 'lets any number of sends wait for their receipts',
    caughtBy: sent,
    expects: 'beyond some the usual method follows',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: '(waiting.get(index) ?? 0) < waitingMax',
        put: '(waiting.get(index) ?? 0) < Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'ask-for-it-again',
    breaks: 'tries a method with each send that the node has said it lacks',
    caughtBy: sent,
    expects: 'lacks the method is not asked',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: 'lacked.set(key, clock.elapsed())',
        put: 'lacked.delete(key)',
      },
    ],
  },
  {
    name: 'a-preconfirmation-is-an-inclusion',
    breaks: 'takes a receipt that names no block for an inclusion',
    caughtBy: 'test/chain/inclusions/receipts.test.ts',
    expects: 'a preconfirmation is no inclusion',
    edits: [
      {
        file: 'src/chain/inclusions/receipt.ts',
        find: 'blockHash === noBlock || number === undefined) return undefined',
        put: 'number === undefined) return undefined',
      },
    ],
  },
  {
    name: 'preconfirmed-by-a-hash',
    breaks: 'calls a cancellation lost as soon as a node has answered with the hash of the original',
    with: ['earlyHashes'],
    expects: 'preconfirmed, and the sequencer has not ordered it',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: 'return attempts.some(isSequenced) &&',
        put: "return attempts.some((each) => each.broadcast.state === 'handed') &&",
      },
    ],
  },
  {
    name: 'certain-after-unknown-words',
    breaks: 'takes a refusal by the usual method for certain, although the first one may have taken the bytes',
    caughtBy: sent,
    expects: 'no refusal by the usual method is certain',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: "return second.kind === 'value' ? second : answer",
        put: "return second.kind === 'value' ? second : second",
      },
    ],
  },
  {
    name: 'wait-for-the-words-of-a-gateway',
    breaks: 'goes on by a method whose refusal a gateway words in its own way, so that nothing is ever sent there',
    caughtBy: sent,
    expects: 'words of its own for a method',
    edits: [
      {
        file: 'src/chain/sending/send-raw.ts',
        find: '(method === waitingSend && !isAboutTransaction(answer))',
        put: '(method === waitingSend && answer.code === 0)',
      },
    ],
  },
]
