// Mutants of the no-ops that are signed before a cancellation: when they are used, what limits them, and how long they stay.
import type { Mutant } from './mutant.ts'

export const ofPresigning: readonly Mutant[] = [
  {
    name: 'never-use-what-is-pre-signed',
    breaks: 'lets a canceled transaction wait for the signer although a pre-signed no-op is stored',
    with: ['remoteSigners', 'presign'],
    expects: 'no pre-signed no-op races',
    edits: [
      {
        file: 'src/domain/decide/signer/await-signer.ts',
        find: "const noOp = waits && (failure || signing.late.has('cancel')) ?",
        put: "const noOp = waits && failure && signing.late.has('bind') && signing.late.has('cancel') ?",
      },
    ],
  },
  {
    name: 'use-what-is-pre-signed-for-a-bump',
    breaks: 'uses a pre-signed no-op for a transaction that nobody canceled',
    with: ['remoteSigners', 'presign'],
    expects: 'is not canceled, and a pre-signed no-op',
    edits: [
      {
        file: 'src/domain/decide/signer/await-signer.ts',
        find: "if (decision.do !== 'signNoOp') return undefined\n  const { transaction } = decision",
        put: "if (decision.do !== 'signNoOp' && decision.do !== 'bump') return undefined\n  const { transaction } = decision",
      },
    ],
  },
  {
    name: 'put-without-a-cover',
    breaks: 'signs the payload of a PUT although no pre-signed no-op could take its place',
    caughtBy: 'test/domain/decide/presign.test.ts',
    expects: 'the PUT waits',
    edits: [
      {
        file: 'src/domain/decide/signer/presign.ts',
        find: "decision.do === 'bump' || decision.do === 'replace'",
        put: "decision.do === 'bump'",
      },
    ],
  },
  {
    name: 'use-what-is-pre-signed-above-the-cap',
    breaks: 'uses a pre-signed no-op that pays more than cancel_gas_price_cap',
    caughtBy: 'test/engine/presign.test.ts',
    expects: 'only cancel_gas_price_cap limits them: pause',
    edits: [
      {
        file: 'src/domain/decide/signer/presign.ts',
        find: '.filter(({ fees }) => cap === undefined || feeCap(fees) <= cap)',
        put: '.filter(({ fees }) => cap === undefined || feeCap(fees) > 0n)',
      },
    ],
  },
  {
    name: 'keep-what-is-pre-signed',
    breaks: 'keeps pre-signed no-ops when their nonce is final',
    with: ['remoteSigners', 'presign'],
    expects: 'and its nonce is final',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (work.presigned && isFinalLonger)',
        put: 'if (work.presigned && isFinalLonger && floor.spentBelow < 0)',
      },
    ],
  },
  {
    name: 'store-bytes-before-their-hash',
    breaks: 'stores the bytes of a pre-signed no-op in the commit of its hash',
    with: ['remoteSigners', 'presign'],
    expects: 'and its hash was not before',
    edits: [
      {
        file: 'src/engine/presign.ts',
        find: 'for (const { attempt } of all) await session.recordPresigned(id, { ...attempt, signedAt: clock.now() })',
        put: 'for (const { attempt } of all) {\n      await session.recordPresigned(id, { ...attempt, signedAt: clock.now() })\n      await session.sealPresigned({ relayerId: id, nonce: attempt.nonce, hash: attempt.hash, sealed: sealNoOp(vault, id, attempt) })\n    }',
      },
    ],
  },
]
