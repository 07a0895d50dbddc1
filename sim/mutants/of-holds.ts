// Mutants of what holds transactions back: holds and releases, four eyes, and the pause of a whole network.
import type { Mutant } from './mutant.ts'

const rules = 'src/domain/hold.ts'
const releasing = 'src/domain/release.ts'
const caughtBy = 'test/domain/hold.test.ts'
const ofRules = 'test/domain/four-eyes.test.ts'
const marking = 'src/store/registry/network-pauses.ts'

export const ofHolds: readonly Mutant[] = [
  {
    name: 'release-by-our-clock-alone',
    breaks: 'releases a hold without a look at the time of the newest head',
    with: ['sendHolds'],
    expects: 'ms too early by the chain',
    edits: [{ file: rules, find: 'return headAt >= until || now >=', put: 'return headAt >= 0 || now >=' }],
  },
  {
    name: 'release-by-the-chain-alone',
    breaks: 'releases a hold once a head claims its time, whatever our clock says',
    caughtBy,
    expects: 'by both clocks',
    edits: [
      {
        file: rules,
        find: 'if (until === undefined || now < until) return false',
        put: 'if (until === undefined) return false',
      },
    ],
  },
  {
    name: 'forget-a-suspicion-at-the-release',
    breaks: 'shows no reason for a released transaction that a lost no-op may have canceled',
    caughtBy,
    expects: 'waits for that also after its release',
    edits: [{ file: releasing, find: '{ ...released, wait } : released', put: 'released : released' }],
  },
  {
    name: 'release-under-a-pause',
    breaks: 'releases by time while the relayer is paused',
    with: ['sendHolds'],
    expects: 'it was released while the',
    edits: [
      {
        file: 'src/domain/decide/release-ended.ts',
        find: 'if (isPaused(work.relayer)) return []\n  const clocks',
        put: 'const clocks',
      },
    ],
  },
  {
    name: 'release-on-request-under-a-pause',
    breaks: 'releases on request while the relayer is paused',
    with: ['sendHolds'],
    expects: 'it was released while the',
    edits: [
      { file: releasing, find: "if (isPaused(relayer)) throw pausedError(relayer, 'releases nothing')", put: '' },
    ],
  },
  {
    name: 'a-shorter-hold-stays',
    breaks: 'takes the client’s word where a policy demands a longer hold',
    caughtBy,
    expects: 'min_hold lengthens',
    edits: [{ file: rules, find: 'const latest = Math.max(', put: 'const latest = Math.min(' }],
  },
  {
    name: 'a-put-ends-the-hold',
    breaks: 'forgets the hold of a transaction whose payload is replaced without one',
    caughtBy,
    expects: 'begins the hold anew',
    edits: [
      { file: releasing, find: 'return { ...request, hold: replaced.lifecycle.hold.request }', put: 'return request' },
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
    name: 'open-four-eyes-with-the-policy',
    breaks: 'lets a PUT out of four eyes once the policy is off',
    caughtBy: ofRules,
    expects: 'opens no hold',
    edits: [
      {
        file: 'src/domain/begin-hold.ts',
        find: 'isUnderFourEyes: fourEyes !== undefined',
        put: 'isUnderFourEyes: fourEyes === null',
      },
    ],
  },
  {
    name: 'four-eyes-for-values-only',
    breaks: 'lets calls pass under hold_above_value, as their value is 0',
    caughtBy: ofRules,
    expects: 'with data 0xa9059cbb',
    edits: [
      {
        file: 'src/domain/hold.ts',
        find: "return holdAboveValue === undefined || value > holdAboveValue || data !== '0x'",
        put: 'return holdAboveValue === undefined || value > holdAboveValue || data.length < 2',
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
    name: 'sign-messages-under-four-eyes',
    breaks: 'signs a permit for one key',
    caughtBy: ofRules,
    expects: 'signs no messages',
    edits: [
      {
        file: 'src/domain/four-eyes.ts',
        find: 'if (!policies.fourEyes) return undefined',
        put: 'if (policies) return undefined',
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
        file: marking,
        find: '.set({ network_paused: p.paused })',
        put: '.set({ network_paused: p.paused, paused: p.paused })',
      },
    ],
  },
  {
    name: 'lose-the-mark-with-a-change',
    breaks: 'forgets the pause of its network when a relayer is saved',
    with: ['networkPauses'],
    expects: 'its own pause changed with that of its network',
    edits: [{ file: 'src/store/relayers/relayers.ts', find: 'THEN 1 ELSE 0 END`', put: 'THEN 0 ELSE 0 END`' }],
  },
  {
    name: 'mark-without-the-relayers',
    breaks: 'marks a paused network, and none of its relayers',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [{ file: marking, find: "'network_paused', '<>', p.paused", put: "'network_paused', '>', p.paused" }],
  },
]
