// Mutants that report a wrong verdict, or overlook the chain.
import type { Mutant } from './mutant.ts'

export const ofVerdicts: readonly Mutant[] = [
  {
    name: 'keep-a-branch-across-a-gap',
    breaks: 'keeps the blocks that were known before a wide gap, whatever the node shows in their place',
    caughtBy: 'test/chain/heads/ancestry.unit.test.ts',
    expects: 'across a wide gap, nothing is kept of a branch that the node has left',
    edits: [
      {
        file: 'src/chain/heads/ancestry.ts',
        find: 'bottom !== undefined && bottom.hash === hashes.get(from)',
        put: 'bottom !== undefined',
      },
    ],
  },
  {
    name: 'lost-told-as-won',
    breaks: 'tells that a cancellation won where the payload was mined',
    expects: 'its verdict is won, and should be lost',
    edits: [{ file: 'src/domain/cancel.ts', find: "payload: 'lost',", put: "payload: 'won' as 'lost' | 'won'," }],
  },
  {
    name: 'external-told-as-won',
    breaks: 'tells that a cancellation won where a foreign transaction was mined',
    expects: 'and should be external',
    edits: [{ file: 'src/domain/cancel.ts', find: "foreign: 'external' }", put: "foreign: 'won' }" }],
  },
  {
    name: 'safe-before-finality',
    breaks: 'lets a client send anew what a reorganization may yet bring back',
    expects: 'nothing is final yet',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: "safeToRetry: final && state !== 'lost'",
        put: "safeToRetry: state !== 'lost'",
      },
    ],
  },
  {
    name: 'safe-though-lost',
    breaks: 'lets a client send anew what was executed',
    expects: 'is on the chain',
    edits: [
      { file: 'src/domain/cancel.ts', find: "safeToRetry: final && state !== 'lost'", put: 'safeToRetry: final' },
    ],
  },
  {
    name: 'safe-while-racing',
    breaks: 'lets a client send anew what still races',
    expects: 'nothing is final yet',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: "state: 'racing', final: false, safeToRetry: false",
        put: "state: 'racing', final: false, safeToRetry: true",
      },
    ],
  },
  {
    name: 'cost-of-its-own',
    breaks: 'tells another cost than what the no-op burned',
    expects: 'and the chain burned',
    edits: [
      {
        file: 'src/domain/cancel.ts',
        find: "inclusion.kind === 'cancel' ? feesPaid(inclusion) : 0n",
        put: "inclusion.kind === 'cancel' ? (feesPaid(inclusion) ?? 0n) + 1n : 0n",
      },
    ],
  },
  {
    name: 'delete-what-is-mined',
    breaks: 'accepts a DELETE of what is mined',
    expects: 'a DELETE was accepted although it is mined',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: 'const byStatus: Refusals = cancelRefusals\n',
        put: 'const byStatus: Refusals = (({ mined: _, ...others }) => others)(cancelRefusals)\n',
      },
    ],
  },
  {
    name: 'mined-is-for-ever',
    breaks: 'does not reopen what a reorganization took back',
    expects: 'have not ended',
    edits: [
      {
        file: 'src/domain/decide/follow.ts',
        find: "if (canonical !== inclusion.block.hash) return [{ do: 'reopen', transaction, why: 'reorganized' }]",
        put: 'if (canonical !== inclusion.block.hash) return []',
      },
    ],
  },
  {
    name: 'foreign-nonces-stay-free',
    breaks: 'does not count the nonces as used that a foreign transaction has finally used',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'a nonce that a foreign transaction finally used is never free again',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: "decision.do === 'finalize' || decision.do === 'requeue' ?",
        put: "decision.do === 'finalize' ?",
      },
    ],
  },
  {
    name: 'further-endpoints-behind-a-put',
    breaks: 'gives a payload that a PUT has replaced to further endpoints',
    caughtBy: 'test/engine/perform.test.ts',
    expects: 'after a PUT, while a node had the bytes, another is sent them: false',
    edits: [
      {
        file: 'src/engine/perform.ts',
        find: "return now.lifecycle.phase === 'inFlight' && revisionOf(now) === (attempt.revision ?? 0)",
        put: "return now.lifecycle.phase === 'inFlight' && revisionOf(now) >= (attempt.revision ?? 0)",
      },
    ],
  },
  {
    name: 'further-endpoints-behind-a-delete',
    breaks: 'gives a payload that a DELETE took back to further endpoints',
    caughtBy: 'test/engine/perform.test.ts',
    expects: 'after a DELETE, while a node had the bytes, another is sent them: false',
    edits: [{ file: 'src/engine/perform.ts', find: 'if (!now || now.cancellation ||', put: 'if (!now ||' }],
  },
  {
    name: 'expired-told-as-canceled',
    breaks: 'ends what has expired as if its client had taken it back',
    expects: 'it was canceled, and no client',
    edits: [
      {
        file: 'src/domain/decide/apply.ts',
        find: "return cancel(transaction, now, 'expiry')",
        put: 'return cancel(transaction, now)',
      },
    ],
  },
]
