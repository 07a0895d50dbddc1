// Mutants of the meaning of a rejection: bytes that nodes call invalid, words that no table has, and repeats.
import type { Mutant } from './mutant.ts'

const unit = 'test/domain/decide/refusals.test.ts'
const memory = 'test/chain/sending/remember-refusals.unit.test.ts'

export const ofRefusals: readonly Mutant[] = [
  {
    name: 'repeat-a-replaced-payload',
    breaks: 'broadcasts the bytes of a replaced payload again, if the balance covers no other attempt',
    caughtBy: unit,
    expects: 'a replaced payload is never broadcast again, whatever the balance covers',
    edits: [
      {
        file: 'src/domain/decide/race/rebroadcast.ts',
        find: 'attempt.revision === latest.revision && mayBeKnown(attempt)',
        put: 'attempt.nonce === latest.nonce && mayBeKnown(attempt)',
      },
    ],
  },
  {
    name: 'repeat-too-low-for-ever',
    breaks: 'broadcasts a price that every pool calls too low again and again, though dearer bytes are signed',
    caughtBy: unit,
    expects: 'while the newest attempt pays less than pools accept and a higher price',
    edits: [
      {
        file: 'src/domain/decide/race/rebroadcast.ts',
        find: 'dearer && !isSentAfter(dearer, latest)',
        put: 'dearer && latest === dearer',
      },
    ],
  },
  {
    name: 'free-what-is-called-invalid',
    breaks: 'takes the word "invalid" as proof that no pool has the bytes, and gives their nonce to another payload',
    with: ['invalid'],
    expects: 'both reached a node',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "return attempt.broadcast.state === 'sending' || attempt.broadcast.state === 'handed'",
        put: "return attempt.broadcast.state === 'sending' || (attempt.broadcast.state === 'handed' && invalidReasonOf(attempt) === undefined)",
      },
    ],
  },
  {
    name: 'give-up-at-the-first-word',
    breaks: 'gives a payload up that a node called invalid once',
    with: ['invalid'],
    expects: 'no node has refused any of its bytes twice',
    edits: [
      {
        file: 'src/chain/sending/remember-refusals.ts',
        find: 'return to - from >= blocksApartMin',
        put: 'return to - from >= 0 * blocksApartMin',
      },
    ],
  },
  {
    name: 'give-up-by-one-endpoint',
    breaks: 'gives a payload up that one endpoint calls invalid, whatever the others say',
    caughtBy: memory,
    expects: 'not while one of them says anything else',
    edits: [
      {
        file: 'src/chain/sending/remember-refusals.ts',
        find: "each.every((one) => one.what === 'invalid' && isTwice(one))",
        put: "each.some((one) => one.what === 'invalid' && isTwice(one))",
      },
    ],
  },
  {
    name: 'wait-for-the-word-of-the-silent',
    breaks: 'gives nothing up while an endpoint that gave another answer once gives none',
    caughtBy: memory,
    expects: 'whatever an endpoint said that gives no answer any more',
    edits: [
      {
        file: 'src/chain/sending/remember-refusals.ts',
        find: "if (isSilent) return before?.what === 'invalid' && isTwice(before) ? before : undefined",
        put: 'if (isSilent) return before',
      },
    ],
  },
  {
    name: 'give-up-what-a-pool-shows',
    breaks: 'gives a payload up that an endpoint shows in its pool, as all call it invalid',
    caughtBy: memory,
    expects: 'not while an endpoint shows any of its attempts',
    edits: [
      {
        file: 'src/chain/sending/remember-refusals.ts',
        find: 'if (words !== undefined && !(await isRefuted(payload)))',
        put: 'if (words !== undefined && ((await isRefuted(payload)) || true))',
      },
    ],
  },
  {
    name: 'give-up-in-an-outage',
    breaks: 'gives a payload up for unknown words while endpoints accept nothing at all',
    caughtBy: unit,
    expects: 'that last two minutes and twenty blocks',
    edits: [
      {
        file: 'src/domain/decide/race/give-up.ts',
        find: 'const isOutage = unshown.otherAcceptedMsAgo >= refusedMs',
        put: 'const isOutage = unshown.otherAcceptedMsAgo < 0',
      },
    ],
  },
  {
    name: 'give-up-any-nonce-for-unknown-words',
    breaks: 'gives payloads up for unknown words whose nonces are not next',
    caughtBy: unit,
    expects: 'that last two minutes and twenty blocks',
    edits: [
      {
        file: 'src/domain/decide/race/give-up.ts',
        find: 'if (nonce !== observation.nonce || words',
        put: 'if (nonce < observation.nonce || words',
      },
    ],
  },
  {
    name: 'return-for-ever',
    breaks: 'sends a payload back into the queue however often nodes refuse it in unknown words',
    caughtBy: unit,
    expects: 'the third time it fails',
    edits: [
      {
        file: 'src/domain/give-up.ts',
        find: 'Math.min(giveUpsEnd, (transaction.giveUps ?? 0) + 1)',
        put: 'Math.min(giveUpsEnd - 1, (transaction.giveUps ?? 0) + 1)',
      },
    ],
  },
  {
    name: 'forget-the-gas-of-a-return',
    breaks: 'leaves the no-op of a payload that waits for another nonce out of the daily gas',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'given up for now',
    edits: [
      {
        file: 'src/store/transactions/daily-gas.ts',
        find: "return after.phase === 'queued' && before.phase === 'mined' ?",
        put: "return after.phase === 'queued' && before.phase === 'final' ?",
      },
    ],
  },
  {
    name: 'bind-what-no-block-holds',
    breaks: 'binds a nonce to a payload that names more gas than a block holds',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'that names more gas than a block holds',
    edits: [
      {
        file: 'src/domain/intrinsic-gas.ts',
        find: 'return most !== undefined && gasLimit > most',
        put: 'return most !== undefined && gasLimit > 10 * most',
      },
    ],
  },
  {
    name: 'believe-one-head-s-gas-limit',
    breaks: 'takes the gas limit of the newest head alone, which one endpoint may have named falsely',
    caughtBy: 'test/chain/heads/limit-gas.unit.test.ts',
    expects: 'is the widest of the last eight heads',
    edits: [
      {
        file: 'src/chain/heads/limit-gas.ts',
        find: 'const heads = [...recent.values()]',
        put: 'const heads = [head]',
      },
    ],
  },
  {
    name: 'count-no-give-up',
    breaks: 'counts a payload that every node refused against nobody',
    caughtBy: 'test/engine/step.test.ts',
    expects: 'is given up across a crash',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: "if (decision.do === 'giveUp') await countGiveUp(",
        put: "if (decision.do === 'giveUp' && now < 0) await countGiveUp(",
      },
    ],
  },
  {
    name: 'send-on-after-refusals',
    breaks: 'takes any number of payloads that every node refuses from one API key',
    caughtBy: 'test/commands/commands.test.ts',
    expects: 'a key whose sends every node refused 16 times',
    edits: [
      {
        file: 'src/commands/transactions/limit-give-ups.ts',
        find: 'if (count < giveUpsMax) return',
        put: 'if (count < giveUpsMax || count > 0) return',
      },
    ],
  },
  {
    name: 'outbid-what-all-refused',
    breaks: 'bids over the fees of a given up payload that no node ever took',
    caughtBy: unit,
    expects: 'that is given up sets no floor',
    edits: [
      {
        file: 'src/domain/decide/race/bid.ts',
        find: "const isGivenUp = cancellation?.origin === 'refusal'",
        put: "const isGivenUp = cancellation?.origin === 'refusal' && lifecycle.nonce < 0",
      },
    ],
  },
  {
    name: 'fail-before-the-chain-shows-it',
    breaks: 'says failed of a given up payload while the no-op that took its nonce is not confirmed',
    with: ['invalid'],
    caughtBy: unit,
    expects: 'has failed once that is confirmed',
    edits: [
      {
        file: 'src/domain/transaction.ts',
        find: "return lifecycle.confirmedAt === undefined ? 'submitted' : canceled",
        put: "return lifecycle.nonce < 0 ? 'submitted' : canceled",
      },
    ],
  },
  {
    name: 'give-up-what-a-node-had',
    breaks: 'gives a payload up that a node accepted a moment ago, when another calls it invalid',
    caughtBy: unit,
    expects: 'is not given up while a node had it in the last ten minutes',
    edits: [
      {
        file: 'src/domain/decide/race/give-up.ts',
        find: 'takenAt !== undefined && now - takenAt',
        put: 'takenAt !== undefined && takenAt < 0 && now - takenAt',
      },
    ],
  },
  {
    name: 'forget-who-had-it',
    breaks: 'forgets at the next answer that a node had the bytes',
    caughtBy: unit,
    expects: 'survives refusals, unknown answers and broadcasts that never left',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: 'return wasTaken(attempt) ? attempt.broadcast.at : attempt.broadcast.takenAt',
        put: 'return attempt.broadcast.takenAt',
      },
    ],
  },
  {
    name: 'believe-the-first-invalid',
    breaks: 'concludes from one endpoint that bytes are invalid, and never gives them to the others',
    caughtBy: 'test/chain/sending/broadcast-outcome.unit.test.ts',
    expects: 'another endpoint is tried where nothing was learned',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: "['nodeLimit', 'poolFull', 'invalid']",
        put: "['nodeLimit', 'poolFull']",
      },
    ],
  },
  {
    name: 'repeat-at-a-fixed-pace',
    breaks: 'repeats what nodes refuse in the same words at a fixed pace for ever',
    caughtBy: unit,
    expects: 'is repeated after pauses that double, and says why',
    edits: [
      {
        file: 'src/domain/decide/race/repeat-after.ts',
        find: 'const refusedMs = at - (refusedSinceOf(attempt) ?? at)',
        put: 'const refusedMs = 0 * at',
      },
    ],
  },
  {
    name: 'end-a-race-by-unknown-words',
    breaks: 'never bids again in a race whose no-op nodes refuse in words that no table has, where blocks are empty',
    caughtBy: unit,
    expects: 'in empty blocks: a race bids again up to its limit',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: "if (wants === 'noOp' && isRefusedLong(",
        put: "if (wants === 'noOp' && latest.nonce < 0 && isRefusedLong(",
      },
    ],
  },
  {
    name: 'read-the-code-alone',
    breaks: 'takes any error -32005 for a rate limit, whatever its words say',
    caughtBy: 'test/chain/sending/broadcast-outcome.unit.test.ts',
    expects: 'a code of rate limits with words of the transaction is read by its words',
    edits: [
      {
        file: 'src/chain/nodes/response-body.ts',
        find: 'return ofRequests.test(message) && !ofTransaction.test(message)',
        put: 'return message.length >= 0 || (ofRequests.test(message) && !ofTransaction.test(message))',
      },
    ],
  },
  {
    name: 'drop-what-a-gateway-calls-invalid',
    breaks: "drops a canceled payload on a gateway's word, where a sequencer may have ordered it",
    caughtBy: 'test/domain/decide/cancel-in-flight.test.ts',
    expects: 'as invalid is in doubt: a gateway may say so although the sequencer has it',
    edits: [
      {
        file: 'src/domain/decide/race/cancel-in-flight.ts',
        find: 'if (invalidReasonOf(attempt) !== undefined) return false',
        put: 'if (invalidReasonOf(attempt) === attempt.hash) return false',
      },
    ],
  },
]
