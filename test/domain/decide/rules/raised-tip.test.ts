// A tip that no builder takes: raised once for the next nonce, and for no other.
import { expect, test } from 'vitest'
import { raisedTip } from '../../../../src/domain/decide/rules/raised-tip.ts'
import type { Market } from '../../../../src/domain/fees.ts'
import { gwei, headAt, height, inFlight, now, someAttempt, someMarket } from '../../some.ts'

const blocks = { haveRoom: true, areUsed: true }
const paying = (tip: bigint): Partial<Market> => ({ tips: { ...someMarket.tips, fast: tip } })

interface Case {
  readonly nonce?: number
  readonly waited?: number
  readonly waitedMs?: number
  readonly market?: Partial<Market>
  readonly raisedTip?: bigint
}

test.each<[string, Case, bigint | undefined]>([
  ['ten times what blocks paid, while that is small', { market: paying(gwei / 10n) }, gwei],
  ['3 gwei, where ten times what they paid is more', { market: paying(2n * gwei) }, 3n * gwei],
  ['what they paid, where that is more', { market: paying(5n * gwei) }, 5n * gwei],
  ['the profile’s', { market: paying(gwei / 10n), raisedTip: 25n * gwei }, 25n * gwei],
  ['a node’s suggestion', { market: { ...paying(gwei / 10n), suggestedTip: 7n * gwei } }, 7n * gwei],
  ['outside this world: 11 blocks', { waited: 11 }, undefined],
  ['outside this world: 60 blocks within less than 24 s', { waited: 60, waitedMs: 23_999 }, undefined],
  ['outside this world: another nonce is next', { nonce: 4 }, undefined],
  ['outside this world: blocks without room', { market: { blocks: { ...blocks, haveRoom: false } } }, undefined],
])(
  'the tip of a nonce that waits: %s',
  (_, { nonce = 5, waited = 12, waitedMs = 24_000, market = {}, ...policy }, expected) => {
    const transaction = inFlight(5, [someAttempt(5, { recordedAtBlock: height - waited, recordedAt: now - waitedMs })])
    const seen = { ...someMarket, blocks, ...market }
    expect(
      raisedTip({ transaction, speed: 'fast' }, { head: headAt(height), nonce, now }, seen, {
        bumpAfter: { blocks: 3, ms: 3_000 },
        ...policy,
      }),
    ).toBe(expected)
  },
)
