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
        find: 'return isOver(refusalsApart, from, to)',
        put: 'return isOver({ blocks: 0, ms: 0 }, from, to)',
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
        file: 'src/domain/decide/rules/give-up.ts',
        find: 'takenAt !== undefined && now - takenAt',
        put: 'takenAt !== undefined && takenAt < 0 && now - takenAt',
      },
    ],
  },
  {
    name: 'give-up-without-money',
    breaks: 'gives a payload up for the unknown words of one endpoint, while the others lack money for it',
    caughtBy: unit,
    expects: 'end nothing while the balance does not cover it',
    edits: [
      {
        file: 'src/domain/decide/rules/give-up.ts',
        find: "observation) ? 'no' : 'yes'",
        put: "observation) ? 'yes' : 'yes'",
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
        file: 'src/domain/decide/rules/arrival-order.ts',
        find: 'if (invalidReasonOf(attempt) !== undefined) return false',
        put: 'if (invalidReasonOf(attempt) === attempt.hash) return false',
      },
    ],
  },
]
