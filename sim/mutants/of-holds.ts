// Mutants of holds and releases.
import type { Mutant } from './mutant.ts'

const rules = 'src/domain/hold.ts'
const releasing = 'src/domain/release.ts'
const caughtBy = 'test/domain/hold.test.ts'

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
    name: 'wait-for-a-head-for-ever',
    breaks: 'never releases by our clock alone, so a chain that stands still holds for ever',
    caughtBy,
    expects: 'after a minute without a new head',
    edits: [
      {
        file: rules,
        find: 'return headAt >= until || now >= patienceEndsAt(until, headSince)',
        put: 'return headAt >= until',
      },
    ],
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
    name: 'hold-at-the-value',
    breaks: 'holds a send of exactly hold_above_value',
    caughtBy,
    expects: 'at the value',
    edits: [{ file: rules, find: 'value <= holdAboveValue', put: 'value < holdAboveValue' }],
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
    name: 'a-send-may-expire-on-hold',
    breaks: 'accepts a valid_until that comes before the end of the hold',
    caughtBy,
    expects: 'would expire on hold',
    edits: [
      {
        file: rules,
        find: 'validUntil === undefined || validUntil > hold.until',
        put: 'validUntil === undefined || validUntil > 0',
      },
    ],
  },
  {
    name: 'a-silent-release',
    breaks: 'releases without an event',
    caughtBy,
    expects: 'puts it back, once',
    edits: [
      {
        file: 'src/domain/event.ts',
        find: "if (before.lifecycle.phase === 'held' && lifecycle.phase === 'queued') return true",
        put: '',
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
]
