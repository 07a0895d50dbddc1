// Mutants of what holds transactions back: holds and releases, four eyes, and the pause of a whole network.
import type { Mutant } from './mutant.ts'

const ofRules = 'test/domain/four-eyes.test.ts'

export const ofHolds: readonly Mutant[] = [
  {
    name: 'release-by-our-clock-alone',
    breaks: 'releases a hold without a look at the time of the newest head',
    with: ['sendHolds'],
    expects: 'ms too early by the chain',
    edits: [
      { file: 'src/domain/hold.ts', find: 'return headAt >= until || now >=', put: 'return headAt >= 0 || now >=' },
    ],
  },
  {
    name: 'release-under-a-pause',
    breaks: 'releases by time while the relayer is paused',
    with: ['sendHolds'],
    expects: 'it was released while the',
    edits: [
      {
        file: 'src/domain/decide/rules/holds.ts',
        find: 'if (isPaused(work.relayer)) return []\n  const clocks',
        put: 'const clocks',
      },
    ],
  },
  {
    name: 'a-put-ends-the-hold',
    breaks: 'forgets the hold of a transaction whose payload is replaced without one',
    caughtBy: 'test/domain/hold.test.ts',
    expects: 'begins the hold anew',
    edits: [
      {
        file: 'src/domain/release.ts',
        find: 'return { ...request, hold: replaced.lifecycle.hold.request }',
        put: 'return request',
      },
    ],
  },
  {
    name: 'trust-the-order-after-a-release',
    breaks: 'sends what a lost history canceled for good, once a restored copy has released it again',
    caughtBy: 'test/engine/find-sent.unit.test.ts',
    expects: 'once this copy has released it',
    edits: [
      {
        file: 'src/engine/find-sent.ts',
        find: "isInPhase(each, 'held') || each.wasHeld",
        put: "isInPhase(each, 'held')",
      },
    ],
  },
  {
    name: 'order-proves-despite-passing',
    breaks: 'sends what a lost history canceled for good, after others had passed it',
    caughtBy: 'test/engine/find-sent.unit.test.ts',
    expects: 'one that others passed',
    edits: [
      {
        file: 'src/engine/find-sent.ts',
        find: ' || each.wasPassed || wasMarked(each)',
        put: '',
      },
    ],
  },
  {
    name: 'release-by-the-setter',
    breaks: 'lets the key that set a payload release it',
    with: ['fourEyes'],
    expects: 'without the release of a second key',
    edits: [
      {
        file: 'src/domain/four-eyes.ts',
        find: 'by === undefined || fourEyes.setBy.includes(by)',
        put: 'by === undefined',
      },
    ],
  },
  {
    name: 'release-by-any-digest',
    breaks: 'releases whatever payload stands there, by the digest of an earlier one',
    with: ['fourEyes'],
    expects: 'one key alone stands behind',
    edits: [
      {
        file: 'src/domain/four-eyes.ts',
        find: 'if (digest === undefined || digest === payloadDigest(transaction)) return undefined',
        put: 'if (digest === undefined || digest.length === 66) return undefined',
      },
    ],
  },
  {
    name: 'forget-the-key-of-a-put',
    breaks: 'lets the key of a PUT release its own payload',
    caughtBy: ofRules,
    expects: 'adds its key',
    edits: [
      {
        file: 'src/domain/four-eyes.ts',
        find: 'const keys = [...(fourEyes?.setBy ?? [createdBy]), by].filter(',
        put: 'const keys = [...(fourEyes?.setBy ?? [createdBy ?? by])].filter(',
      },
    ],
  },
  {
    name: 'requeue-without-a-release',
    breaks: 'gives one whose release a restore lost another nonce',
    caughtBy: ofRules,
    expects: 'back on hold',
    edits: [
      {
        file: 'src/domain/release.ts',
        find: "if (!isInPhase(transaction, 'queued') || isApproved(transaction)) return transaction",
        put: "if (!isInPhase(transaction, 'queued') || transaction.version > 0) return transaction",
      },
    ],
  },
  {
    name: 'pay-any-price-without-a-second-key',
    breaks: 'lets one key pay a builder',
    caughtBy: 'test/domain/four-eyes-cost.test.ts',
    expects: 'without a second key a transaction costs',
    edits: [
      {
        file: 'src/domain/hold.ts',
        find: "return pricing.kind !== 'speed' && gasPriceCap === undefined",
        put: "return pricing.kind !== 'speed' && gasPriceCap === 0n",
      },
    ],
  },
  {
    name: 'sign-messages-under-four-eyes',
    breaks: 'signs a permit for one key',
    caughtBy: ofRules,
    expects: 'signs no messages',
    edits: [
      {
        file: 'src/domain/four-eyes.ts',
        find: 'if (!ofAccount.some(({ policies }) => policies.fourEyes)) return undefined',
        put: 'if (ofAccount) return undefined',
      },
    ],
  },
  {
    name: 'go-on-in-a-paused-network',
    breaks: 'takes the pause of a network for none',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [{ file: 'src/domain/pause.ts', find: 'return paused || networkPaused === true', put: 'return paused' }],
  },
  {
    name: 'bind-while-the-network-is-paused',
    breaks: 'signs what it decided before the network was paused',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (!fresh || isPaused(fresh) !== isPaused(relayer)) return false',
        put: 'if (!fresh || fresh.paused !== relayer.paused) return false',
      },
    ],
  },
  {
    name: 'resume-what-was-paused-itself',
    breaks: 'resumes with a network the relayers that were paused themselves',
    with: ['networkPauses'],
    expects: 'its own pause changed with that of its network',
    edits: [
      {
        file: 'src/store/registry/network-pauses.ts',
        find: '.set({ network_paused: p.paused })',
        put: '.set({ network_paused: p.paused, paused: p.paused })',
      },
    ],
  },
  {
    name: 'forget-a-suspicion-at-the-release',
    breaks: 'shows no reason for a released transaction that a lost no-op may have canceled',
    caughtBy: 'test/domain/hold.test.ts',
    expects: 'waits for that also after its release',
    edits: [{ file: 'src/domain/release.ts', find: '{ ...released, wait } : released', put: 'released : released' }],
  },
]
