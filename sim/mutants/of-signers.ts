// Mutants of the signers whose key is in a service: they trust it too much, or wait for it.
import type { Mutant } from './mutant.ts'

export const ofSigners: readonly Mutant[] = [
  {
    name: 'wait-for-a-slow-signer',
    breaks: 'does nothing while a signature is under way',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'while a signature hangs, a mined transaction is settled',
    edits: [
      {
        file: 'src/engine/step.ts',
        find: '  const lostHistory = historyOf(stored, carried)\n',
        put: '  if (remote && underWay.signatures.state(remote).underWay.size > 0) return { idle: true, carried }\n  const lostHistory = historyOf(stored, carried)\n',
      },
    ],
  },
  {
    name: 'deaf-to-throttling',
    breaks: 'goes on at the same rate when a key service throttles',
    caughtBy: 'test/signers/remote/quota.test.ts',
    expects: 'over a second no more calls begin than the quota and its burst',
    edits: [
      {
        file: 'src/signers/remote/quota.ts',
        find: 'rate: Math.max(perSecond / 50, state.rate / 2), tokens: 0,',
        put: '',
      },
    ],
  },
  {
    name: 'wait-for-a-hanging-key',
    breaks: 'sets no limit to a call to a key service',
    with: ['remoteSigners'],
    expects: 'have not ended',
    edits: [
      {
        file: 'src/signers/remote/call-key.ts',
        find: 'const answered = await within(clock, limitMs, (over) => service.sign(preimage, over))',
        put: 'const answered = await within(clock, limitMs * 1e9, (over) => service.sign(preimage, over))',
      },
    ],
  },
  {
    name: 'fail-with-the-key',
    breaks: 'gives a relayer up because a signature failed',
    with: ['remoteSigners'],
    expects: 'SignerUnavailable: signer',
    edits: [
      {
        file: 'src/engine/signatures-under-way.ts',
        find: 'if (error instanceof SignerUnavailable) note(key, error)',
        put: 'if (error === key && error instanceof SignerUnavailable) note(key, error)',
      },
    ],
  },
  {
    name: 'bind-for-the-room-of-before',
    breaks: 'binds signed nonces although a reorganization took their room back',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'a nonce signed for room that a reorganization took back stays unused',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: 'Math.max(0, inFlightMax - inFlightOf(work).length)',
        put: 'inFlightMax',
      },
    ],
  },
  {
    name: 'bind-above-a-failure',
    breaks: 'binds a nonce above one whose signature failed',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'new nonces are bound up to the first that failed',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: "} else if (purpose === 'bind') break",
        put: "} else if (purpose === 'bind') continue",
      },
    ],
  },
  {
    name: 'use-any-signature',
    breaks: 'uses a signature of another key',
    with: ['remoteSigners'],
    expects: 'signed its bytes, not the key of',
    edits: [
      {
        file: 'src/signers/remote/verify-signature.ts',
        find: 'if ((await recovered(curve, digest, signature)) === publicKey) return signature',
        put: 'if ((await recovered(curve, digest, signature)) !== undefined) return signature',
      },
    ],
  },
  {
    name: 'use-a-bump-of-a-canceled',
    breaks: 'broadcasts a payload at a higher price that was canceled while its signature was under way',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'a bump of a payload that was canceled while it was signed stays unused',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: '    (known.cancellation === undefined) === (fresh.cancellation === undefined) &&\n',
        put: '',
      },
    ],
  },
  {
    name: 'use-a-stale-signature',
    breaks: 'broadcasts a payload that was canceled while its signature was under way',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'the payload of a canceled transaction is not used',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: '!isUnchanged(known, fresh) || ',
        put: '',
      },
    ],
  },
  {
    name: 'count-the-room-once',
    breaks: 'forgets the signatures of a commit that runs again, as its first run took their room',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'signatures are recorded, too',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: '  const roomBefore = await openRoomFor(store.reads, group)',
        put: '  let room = await openRoomFor(store.reads, group)',
      },
      { file: 'src/engine/record-signed.ts', find: '      let room = roomBefore\n', put: '' },
    ],
  },
  {
    name: 'bid-below-what-a-pool-took-meanwhile',
    breaks: 'records a bid that was priced before a pool took the attempt below it',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'a bid that was priced while no pool had the attempt before it stays unused once a pool has',
    edits: [{ file: 'src/engine/record-signed.ts', find: ' || hasNewRival(known, fresh)', put: '' }],
  },
  {
    name: 'no-op-for-what-was-ordered-meanwhile',
    breaks: 'records a no-op that was decided before the sequencer ordered the payload',
    expects: 'requested before the sequencer ordered the payload',
    caughtBy: 'test/engine/remote-signer.test.ts',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: '  if (isFcfs(policy) && wasOrderedSince(attemptsOf(known), attemptsOf(fresh))) return undefined\n',
        put: '',
      },
    ],
  },
]
