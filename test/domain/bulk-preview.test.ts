// What a preview bounds: the no-ops and the cost of a bulk cancellation's transactions, and what counts as a difference.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differenceOf, PreviewDiffers, type ShownPart } from '../../src/domain/bulk-preview.ts'
import { type Choices, chooseWithin, type Matched } from '../../src/domain/decide/choose-within.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { isTakenByBulk } from '../../src/domain/refusals.ts'
import { runsOf } from '../../src/domain/sequence-runs.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { eip1559, gwei, height, inFlight, someAttempt, someMarket, somePolicy, someWork } from './some.ts'

const price = { market: someMarket, block: height }
const at = (nonce: number, tip: bigint) => inFlight(nonce, [someAttempt(nonce, { fees: eip1559(3n * tip, tip) })])
const matched = (open: readonly Transaction[]): Matched => ({
  work: someWork({ open }),
  covers: isTakenByBulk,
  staying: [],
  pauses: false,
})
const sumOf = ({ choices }: Choices) => choices.reduce((sum, each) => sum + (each.taken ? each.share : 0n), 0n)
const reasonsOf = ({ choices }: Choices) => choices.map((each) => (each.taken ? 'taken' : each.why.reason))

const anyTips = fc.array(fc.bigInt(gwei, 90n * gwei), { maxLength: 6 })
const anyBound = fc.record({ noOps: fc.nat({ max: 7 }), costMax: fc.bigInt(0n, 10n ** 16n) })

test('whatever a preview showed: no no-op and no cost beyond it, and each match is taken or has its reason', () => {
  fc.assert(
    fc.property(anyTips, anyBound, fc.boolean(), (tips, { noOps, costMax }, isPriced) => {
      const of = matched(tips.map((tip, nonce) => at(nonce, tip)))
      const shown = { noOps, ...(isPriced && { costMax }) }
      const chosen = chooseWithin(of, undefined, somePolicy, isPriced ? price : undefined, shown)
      const taken = chosen.choices.filter((each) => each.taken)
      expect(chosen.choices).toHaveLength(tips.length)
      expect(taken.filter(({ by }) => by !== undefined).length).toBeLessThanOrEqual(noOps)
      expect(sumOf(chosen)).toBe(chosen.spent)
      if (isPriced) expect(chosen.spent).toBeLessThanOrEqual(costMax)
      else expect(taken).toHaveLength(Math.min(noOps, tips.length))
    }),
  )
})

test('the previewed transactions are taken, as long as nothing changes', () => {
  fc.assert(
    fc.property(anyTips, (tips) => {
      const of = matched(tips.map((tip, nonce) => at(nonce, tip)))
      const before = chooseWithin(of, undefined, somePolicy, price)
      const costMax = before.choices.reduce((sum, each) => sum + (each.taken ? (each.most ?? 0n) : 0n), 0n)
      expect(before.spent).toBeLessThanOrEqual(costMax)
      const after = chooseWithin(of, undefined, somePolicy, price, { noOps: tips.length, costMax })
      expect(reasonsOf(after)).toEqual(tips.map(() => 'taken'))
      // The room for a later price goes to the no-ops in equal parts.
      expect(costMax - after.spent).toBeLessThan(BigInt(Math.max(1, tips.length)))
    }),
  )
})

test('the reason says which of the two did not suffice', () => {
  const of = matched([at(0, gwei), at(1, gwei)])
  expect(reasonsOf(chooseWithin(of, undefined, somePolicy, price, { noOps: 1 }))).toEqual([
    'taken',
    'beyond_shown_no_ops',
  ])
  const one = chooseWithin(matched([at(0, gwei)]), undefined, somePolicy, price).spent
  const shown = { noOps: 2, costMax: 2n * one - 1n }
  expect(reasonsOf(chooseWithin(of, undefined, somePolicy, price, shown))).toEqual(['taken', 'beyond_shown_cost'])
  expect(reasonsOf(chooseWithin(of, { maxCost: one }, somePolicy, price, shown))).toEqual(['taken', 'beyond_max_cost'])
})

describe('a difference', () => {
  const part = (changes: Partial<ShownPart> & { of?: readonly number[] } = {}): ShownPart => {
    const { of = [1, 2, 3], ...rest } = changes
    return {
      ...{ relayerId: 'one' as RelayerId, sequences: runsOf(of), matches: of.length, noOps: 1, cost: 5n, costMax: 9n },
      ...rest,
    }
  }

  test.each<[string, Parameters<typeof part>[0], object | undefined]>([
    ['none', {}, undefined],
    ['a price within the shown one', { cost: 9n, costMax: 99n }, undefined],
    ['one has ended', { of: [1, 3] }, { ended: 1, added: 0 }],
    ['one came', { of: [1, 2, 3, 9] }, { ended: 0, added: 1 }],
    ['one for another', { of: [1, 2, 9] }, { ended: 1, added: 1 }],
    ['a no-op more', { noOps: 2 }, { noOps: 1 }],
    ['a no-op less', { noOps: 0 }, { noOps: -1 }],
    ['a price beyond it', { cost: 10n }, { costBeyond: 1n }],
  ])('%s', (_, now, expected) => {
    const difference = differenceOf([part()], [part(now)])
    if (expected) expect(difference).toMatchObject(expected)
    else expect(difference).toBe(undefined)
  })

  test('no-ops of two relayers do not cancel each other out', () => {
    const two = (noOps: number) => part({ relayerId: 'two' as RelayerId, noOps })
    const difference = differenceOf([part({ noOps: 1 }), two(1)], [part({ noOps: 2 }), two(0)])
    expect(difference).toEqual({ ended: 0, added: 0, noOps: 0, costBeyond: 0n })
    expect(new PreviewDiffers(difference ?? expect.fail()).message).toContain('other relayers')
  })

  test('a new relayer with a match is one, and one without is none', () => {
    const two = part({ relayerId: 'two' as RelayerId, of: [], noOps: 0, cost: 0n })
    expect(differenceOf([part()], [part(), two])).toBe(undefined)
    expect(differenceOf([part()], [part(), { ...two, sequences: runsOf([4]) }])).toMatchObject({ added: 1 })
  })
})
