// Mutants of races, replacements, nonces that nobody uses, and orders of sequencers.
import type { Mutant } from './mutant.ts'

const sent = 'test/chain/sending/send-raw.unit.test.ts'

export const ofRaces: readonly Mutant[] = [
  {
    name: 'bump-one-fee',
    breaks: 'raises the fee cap of a replacement and leaves its tip',
    expects: 'that was priced over attempt',
    edits: [
      {
        file: 'src/domain/fees.ts',
        find: 'const tip = raised(rival.maxPriorityFeePerGas)',
        put: 'const tip = rival.maxPriorityFeePerGas',
      },
    ],
  },
  {
    name: 'floor-instead-of-ceil',
    breaks: 'rounds a raise down',
    expects: 'that was priced over attempt',
    edits: [
      {
        file: 'src/domain/units.ts',
        find: 'return (amount * (100n + percent) + 99n) / 100n',
        put: 'return (amount * (100n + percent)) / 100n',
      },
    ],
  },
  {
    name: 'cap-on-no-ops',
    breaks: "holds no-ops to the sends' price cap",
    expects: 'and cancel_gas_price_cap is',
    edits: [
      {
        file: 'src/domain/decide/terms/contender.ts',
        find: 'cap: work.relayer.policies.cancelGasPriceCap',
        put: 'cap: work.relayer.policies.gasPriceCap',
      },
    ],
  },
  {
    name: 'floor-that-never-rises',
    breaks: 'forgets which nonces are finally spent, by ours or by a foreign transaction',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'that a foreign transaction finally used is never free again',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: "decision.do === 'finalize' || decision.do === 'requeue' ?",
        put: "(decision.do === 'finalize' || decision.do === 'requeue') && decision.transaction.sequence < 0 ?",
      },
    ],
  },
  {
    name: 'resend-the-canceled',
    breaks: 'broadcasts the newest bytes again, whether they were canceled or not',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: 'rebroadcastIfDue(transaction, own, situation)',
        put: 'rebroadcastIfDue(transaction, [transaction.lifecycle.attempts[0]], situation)',
      },
    ],
  },
  {
    name: 'give-nothing-up',
    breaks: 'waits for ever on a payload that no node takes, when an earlier answer was lost',
    caughtBy: 'test/domain/decide/refusals.test.ts',
    expects: 'is given up once every endpoint refuses it, at whatever nonce',
    edits: [
      {
        file: 'src/domain/decide/rules/give-up.ts',
        find: "if (invalid?.is === 'byAll' && lower === undefined)",
        put: "if (invalid?.is === 'byAll' && transaction.sequence < 0)",
      },
    ],
  },
  {
    name: 'gap-fillers-without-end',
    breaks: 'makes a gap filler anew, at once, where a node called the last one invalid',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'is not priced anew',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: "if (wants === 'gapFiller' && invalidReasonOf(latest) !== undefined) return undefined",
        put: '',
      },
    ],
  },
  {
    name: 'trap-gap-fillers-under-the-cap',
    breaks: 'holds what fills a gap to the cap of sends, and with it the cancellations behind it',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'what fills a gap is held to the cap of no-ops, not to that of sends',
    edits: [
      {
        file: 'src/domain/decide/terms/contender.ts',
        find: 'limit: isGap',
        put: 'limit: isGap && policy.bumpAfter.blocks < 0',
      },
    ],
  },
  {
    name: 'put-frees-the-nonce',
    breaks: 'sends a transaction back into the queue when its payload is replaced, though a node may have the old one',
    expects: 'both reached a node',
    edits: [
      {
        file: 'src/domain/replace.ts',
        find: 'const queued = neverReachedANode(transaction) ?',
        put: 'const queued = neverReachedANode({ ...transaction, lifecycle: { phase: "queued" } }) ?',
      },
    ],
  },
  {
    name: 'orders-prove-funds',
    breaks: 'repeats for ever a no-op that a sequencer accepts and the account cannot pay for',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'a no-op above the balance is signed anew',
    edits: [
      {
        file: 'src/domain/decide/rules/arrival-order.ts',
        find: "code === 'insufficientFunds' || isAboveBalance(contender.transaction, latest, observation)",
        put: "code === 'insufficientFunds'",
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
    name: 'cancel-at-an-old-price',
    breaks: 'decides at once by its last look, however long ago that was',
    caughtBy: 'test/engine/decide-at-once.test.ts',
    expects: 'a no-op by a head that was read 6 s ago: it waits',
    edits: [
      {
        file: 'src/engine/decide-at-once.ts',
        find: "if (!isRecent(ageMs, observation, policy)) return 'nothing'",
        put: 'isRecent(ageMs, observation, policy)',
      },
    ],
  },
  {
    name: 'age-of-a-look-for-that-of-its-head',
    breaks: 'counts the age of its last look from when it began, although its head had been read before',
    caughtBy: 'test/engine/decide-at-once.test.ts',
    expects: 'a no-op by a head that was read 6 s ago, and before that look: it waits',
    edits: [
      {
        file: 'src/engine/step.ts',
        find: 'readAt: begunAt - (looked.headAgeMs ?? 0)',
        put: 'readAt: begunAt',
      },
    ],
  },
  {
    name: 'bind-during-a-look',
    breaks: 'decides about everything by its last look, and not only about what is urgent',
    caughtBy: 'test/engine/decide-at-once.test.ts',
    expects: 'a POST is bound by the look, and not by a DELETE during it',
    edits: [
      {
        file: 'src/engine/decide-at-once.ts',
        find: "import { asOfRows, continueQueue, decideAtOnce, isRecent } from '../domain/decide/decide-at-once.ts'",
        put: "import { decide as decideAtOnce } from '../domain/decide/decide.ts'\nimport { asOfRows, continueQueue, isRecent } from '../domain/decide/decide-at-once.ts'",
      },
    ],
  },
  {
    name: 'no-op-for-a-counted-nonce',
    breaks: 'signs a no-op at once for a nonce that its last look counted as spent',
    caughtBy: 'test/engine/decide-at-once.test.ts',
    expects: 'a nonce that the last look counted as spent gets no no-op before the next says more',
    edits: [
      {
        file: 'src/domain/decide/decide-at-once.ts',
        find: 'if (nonce < situation.observation.nonce || attempts.some(isNonceSpent)',
        put: 'if (nonce < 0 || attempts.some(isNonceSpent)',
      },
    ],
  },
]
