// Mutants of four eyes.
import type { Mutant } from './mutant.ts'

const rules = 'src/domain/four-eyes.ts'
const digest = 'src/domain/payload-digest.ts'
const ofRules = 'test/domain/four-eyes.test.ts'
const ofDigest = 'test/domain/payload-digest.test.ts'

export const ofFourEyes: readonly Mutant[] = [
  {
    name: 'release-by-the-setter',
    breaks: 'lets the key that set a payload release it',
    with: ['fourEyes'],
    expects: 'without the release of a second key',
    edits: [{ file: rules, find: 'by === undefined || fourEyes.setBy.includes(by)', put: 'by === undefined' }],
  },
  {
    name: 'release-by-any-digest',
    breaks: 'releases whatever payload stands there, by the digest of an earlier one',
    with: ['fourEyes'],
    expects: 'one key alone stands behind',
    edits: [
      {
        file: rules,
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
        file: rules,
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
    edits: [{ file: rules, find: 'if (!policies.fourEyes) return undefined', put: 'if (policies) return undefined' }],
  },
  {
    name: 'digest-of-equal-payouts',
    breaks: 'lets the approval of one payout stand for an equal one',
    caughtBy: ofDigest,
    expects: 'two digests are equal only if',
    edits: [{ file: digest, find: '    transaction_id: id,', put: "    transaction_id: '' as TransactionId," }],
  },
  {
    name: 'digest-without-expiry',
    breaks: 'leaves valid_until out of what is approved',
    caughtBy: ofDigest,
    expects: 'two digests are equal only if',
    edits: [{ file: digest, find: '...(validUntil !== undefined && {', put: '...(validUntil === 0 && {' }],
  },
]
