// Mutants of the signers whose key is in a service: they trust it too much, wait for it, or share an account.
import type { Mutant } from './mutant.ts'

export const ofSigners: readonly Mutant[] = [
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
    name: 'bind-for-the-room-of-before',
    breaks: 'binds signed nonces although a reorganization took their room back',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'a nonce signed for room that a reorganization took back stays unused',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: 'roomIn(work, roomOnArrival(work, seen ?? { nonce: 0 }, policy.profile))',
        put: 'roomOnArrival(work, seen ?? { nonce: 0 }, policy.profile).inFlightMax',
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
    expects: 'a bump of a payload that was canceled while it was signed stays unused',
    edits: [
      {
        file: 'src/engine/record-signed.ts',
        find: '!isUnchanged(known, fresh) || ',
        put: '',
      },
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
    name: 'two-relayers-of-one-late-account',
    breaks: 'stores two relayers of one account if their signer opens after the start',
    caughtBy: 'test/registry/await-signers.test.ts',
    expects: 'a relayer whose account another has stays out, with the reason',
    edits: [{ file: 'src/compose-signers.ts', find: '    refuseSharedAddresses(file.relayers)\n', put: '' }],
  },
  {
    name: 'give-up-after-a-refusal',
    breaks: 'never tries a key again that once waited for a person',
    with: ['custody'],
    expects: 'waits for signer_unavailable, which is not so',
    edits: [
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'const permanentMs = 15_000',
        put: 'const permanentMs = 15_000_000_000',
      },
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'const permanentLongestMs = 60_000',
        put: 'const permanentLongestMs = 60_000_000_000',
      },
    ],
  },
]
