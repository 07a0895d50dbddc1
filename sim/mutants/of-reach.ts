// The engine as it would be if a count of a node bound nonces that the account never reaches.
import type { Mutant } from './mutant.ts'

const limit = 'src/domain/decide/queue/limit-reach.ts'
const decided = 'test/domain/decide/limit-reach.test.ts'

export const ofReach: readonly Mutant[] = [
  {
    name: 'bind-at-any-distance',
    breaks: 'binds nonces at any distance above the record',
    caughtBy: decided,
    expects: 'is bound up to 10,000 above the record',
    edits: [
      {
        file: limit,
        find: 'if (below === 0 || nonce < below + reachMax) return within',
        put: 'if (below === 0 || nonce >= 0) return within',
      },
    ],
  },
  {
    name: 'bind-from-a-billion-on',
    breaks: 'binds nonces of 10^9 and more: at the first transaction, or on a permit',
    caughtBy: decided,
    expects: 'is never bound from 10^9 on',
    edits: [
      {
        file: limit,
        find: "if (nonce >= nonceLimit) return blocked({ of: 'limit', nonce, limit: nonceLimit })",
        put: '',
      },
    ],
  },
  {
    name: 'confirm-a-count-by-itself',
    breaks: 'takes repeated counts of the only endpoint for those of another',
    caughtBy: decided,
    expects: 'is not bound on the word of the only endpoint',
    edits: [
      { file: limit, find: " || secondCount === 'unknown' || isSecondCountOwn", put: " || secondCount === 'unknown'" },
    ],
  },
  {
    name: 'no-permit-beyond-the-reach',
    breaks: 'leaves an operator no way to confirm the count of the only endpoint',
    caughtBy: decided,
    expects: 'is bound on an operator’s permit',
    edits: [{ file: limit, find: 'if (work.gapRecord.permitted > 0) return within', put: '' }],
  },
  {
    name: 'refuse-an-account-with-a-history',
    breaks: 'binds no first nonce to an account that has sent more than 10,000 transactions elsewhere',
    caughtBy: decided,
    expects: 'is bound at any count below that if it is the first',
    edits: [{ file: limit, find: 'below === 0 || ', put: '' }],
  },
  {
    name: 'forget-what-this-step-settles',
    breaks: 'takes the floor of before this step for the record, while it settles a nonce far above',
    caughtBy: decided,
    expects: 'the record holds what this step settles',
    edits: [{ file: 'src/domain/decide/decide.ts', find: '    recordedBelow: recordedBelow(work),\n', put: '' }],
  },
  {
    name: 'raise-the-floor-to-any-count',
    breaks:
      'raises the floor of spent nonces in a history check to any count of a node, so that no nonce below is bound again',
    caughtBy: decided,
    expects: 'a history check raises no floor to a count beyond the reach',
    edits: [{ file: 'src/domain/decide/decide.ts', find: 'isBusy || !reach.isWithin ?', put: 'isBusy ?' }],
  },
  {
    name: 'remember-a-doubted-pool',
    breaks:
      'remembers how far the pool of a node counts whose count at the head is false, and fills nonces for it later',
    caughtBy: decided,
    expects: 'a history check does not remember how far a pool counts',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: 'lostHistory ? Math.max(nonce, lostHistory.finalBelow ?? 0) : 0',
        put: 'lostHistory?.finalBelow ?? Math.min(0, nonce)',
      },
    ],
  },
  {
    name: 'fill-at-any-distance',
    breaks: 'fills nonces at any distance above the record',
    caughtBy: decided,
    expects: 'a gap filler has the same reach',
    edits: [
      {
        file: 'src/domain/decide/queue/limit-gap-fillers.ts',
        find: 'limitReach(nonce, { work, observation })',
        put: 'limitReach(0, { work, observation })',
      },
    ],
  },
  {
    name: 'begin-below-a-history',
    breaks:
      'takes an account that has sent before for a new one, so that its first transaction waits and then gets a spent nonce',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
    expects: 'of an account that sent before is its count',
    edits: [
      {
        file: 'src/chain/accounts/read-account.ts',
        find: 'pendingNonce !== undefined && pendingNonce <= spentBelow ? pendingNonce : undefined',
        put: 'pendingNonce === undefined ? undefined : Math.min(pendingNonce, spentBelow)',
      },
    ],
  },
  {
    name: 'remember-a-contradicted-count',
    breaks: 'keeps a count that a second one contradicts, for up to 32 blocks',
    caughtBy: 'test/chain/accounts/remembered-account.test.ts',
    expects: 'that a second count contradicts is counted again',
    edits: [
      {
        file: 'src/chain/accounts/read-account.ts',
        find: "if (second && second !== 'unknown' && second.nonce < nonce) memory.forgetCount(inquiry.address)",
        put: '',
      },
    ],
  },
]
