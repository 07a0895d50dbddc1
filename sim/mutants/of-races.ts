// Mutants of races, replacements, and nonces that nobody uses.
import type { Mutant } from './mutant.ts'

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
        file: 'src/domain/decide/race/contender.ts',
        find: 'cap: work.relayer.policies.cancelGasPriceCap',
        put: 'cap: work.relayer.policies.gasPriceCap',
      },
    ],
  },
  {
    name: 'forget-the-gap',
    breaks: 'leaves the nonce of what was dropped open, and everything behind it stuck',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'given up below others goes to the first of the queue',
    edits: [
      {
        file: 'src/domain/decide/queue/free-nonces.ts',
        find: 'let next = freeFrom(firstUnspent(work, observation))',
        put: 'let next = freeFrom(Math.max(firstUnspent(work, observation), ...[...used].map((nonce) => nonce + 1)))',
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
        file: 'src/domain/decide/race/advance.ts',
        find: "if (invalid?.is === 'byAll') return",
        put: "if (invalid?.is === 'byAll' && latest.nonce < 0) return",
      },
    ],
  },
  {
    name: 'wait-for-a-pool-nobody-shows',
    breaks: 'never fills a gap where no node counts its pool',
    caughtBy: 'test/domain/decide/gaps.test.ts',
    expects: 'goes to the queue once a foreign transaction had its time',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'pendingNonce === undefined && !mayUseForeignNonce(work, observation, policy)) {',
        put: 'pendingNonce === undefined) {',
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
        file: 'src/domain/decide/race/contender.ts',
        find: 'limit: isGap',
        put: 'limit: isGap && policy.bumpAfterBlocks < 0',
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
]
