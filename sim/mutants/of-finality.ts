// The engine as it would be if it mixed up its two thresholds, or believed a tag that proves nothing.
import type { Mutant } from './mutant.ts'

export const ofFinality: readonly Mutant[] = [
  {
    name: 'finality-without-the-tag',
    breaks: 'calls a confirmed transaction final, whatever the tag says',
    // Where two witnesses have to report the tag, they notice it.
    caughtBy: 'test/engine/finality.test.ts',
    expects: 'once the tag has passed it',
    edits: [
      {
        file: 'src/domain/finality.ts',
        find: 'Math.min(deep, tagged)',
        put: 'deep',
      },
    ],
  },
  {
    name: 'finality-by-the-confirmations',
    breaks: 'calls a confirmed transaction final, where the network counts more blocks',
    with: ['finality'],
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/finality.ts',
        find: 'Math.max(finality, requiredConfirmations)',
        put: 'Math.min(finality, requiredConfirmations)',
      },
    ],
  },
  {
    name: 'tag-of-any-branch',
    breaks: 'believes a tag whose block is not on the chain of the head',
    caughtBy: 'test/chain/heads/read-tag.unit.test.ts',
    expects: 'a block of another branch is an absent value',
    edits: [
      {
        file: 'src/chain/heads/read-tag.ts',
        find: 'number <= head && canonical.get(number) === hash',
        put: 'number <= head && canonical.get(number) !== undefined && hash.length > 0',
      },
    ],
  },
  {
    name: 'tag-above-the-head',
    breaks: 'believes a tag above the head',
    caughtBy: 'test/domain/decide/finality.test.ts',
    expects: 'a tag above our head makes nothing final',
    edits: [
      {
        file: 'src/domain/finality.ts',
        find: 'tagged !== undefined && tagged <= head.number',
        put: 'tagged !== undefined',
      },
    ],
  },
  {
    name: 'confirm-on-any-branch',
    breaks: 'confirms a transaction on another branch than those that were confirmed before',
    caughtBy: 'test/domain/decide/confirmed-not-final.test.ts',
    expects: 'another is confirmed only on the branch of the newest',
    edits: [
      {
        file: 'src/domain/decide/facts/confirmed-not-final.ts',
        find: 'canonical.get(confirmedNotFinal.newest.number) === confirmedNotFinal.newest.hash',
        put: 'canonical !== undefined',
      },
    ],
  },
  {
    name: 'taken-back-unseen',
    breaks: 'does not watch the blocks between confirmed and final',
    caughtBy: 'test/domain/decide/confirmed-not-final.test.ts',
    expects: 'the newest, if their block is gone',
    edits: [
      {
        file: 'src/domain/decide/facts/confirmed-not-final.ts',
        find: "if (isTakenBack(confirmedNotFinal, observation)) return { kind: 'takenBack' }",
        put: '',
      },
    ],
  },
  {
    name: 'nonces-free-before-they-are-final',
    breaks: 'believes a node that shows the nonces of confirmed transactions as free',
    caughtBy: 'test/domain/decide/confirmed-not-final.test.ts',
    expects: 'their nonces stay theirs, whatever a node that lags reports',
    edits: [
      {
        file: 'src/domain/decide/terms/free-nonces.ts',
        find: 'return Math.max(nonce, floor.spentBelow, (confirmedNotFinal?.nonce ?? -1) + 1)',
        put: 'return Math.max(nonce, floor.spentBelow, confirmedNotFinal ? 0 : 0)',
      },
    ],
  },
  {
    name: 'taken-back-without-an-alarm',
    breaks: 'takes back what was confirmed as if it had only been mined',
    with: ['finality'],
    expects: 'taken back without an alarm',
    edits: [
      { file: 'src/domain/event.ts', find: "isTakenBack(before, after) ? (['alarm']", put: "false ? (['alarm']" },
    ],
  },
  {
    name: 'forget-tags-above-the-head',
    breaks: 'never calls anything final on a chain whose tag is newer than the head by the time it is read',
    caughtBy: 'test/chain/heads/read-tag.unit.test.ts',
    expects: 'a block that was above the head counts once a head has reached it',
    edits: [{ file: 'src/chain/heads/read-tag.ts', find: '...due, reported?.value', put: 'reported?.value' }],
  },
]
