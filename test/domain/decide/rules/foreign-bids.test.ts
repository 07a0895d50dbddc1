// Bids against a foreign transaction in a pool, and that nothing changes without one.
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../../src/domain/attempt.ts'
import { overForeign, refusedOverForeign, withTipWithin } from '../../../../src/domain/decide/rules/foreign-bids.ts'
import { answered, eip1559, gwei, someAttempt, someMarket } from '../../some.ts'

const rule = { measure: 'fields', percent: 10n } as const
const market = { ...someMarket, baseFee: 20n * gwei }
const outbid = answered({ kind: 'rejected', code: 'replacementUnderpriced', message: 'underpriced' })
const tooLow = answered({ kind: 'rejected', code: 'feeTooLow', message: 'too low' })
const bidAt = (cap: bigint, broadcast?: Attempt['broadcast']) =>
  someAttempt(0, { fees: eip1559(cap * gwei, cap * gwei), ...(broadcast && { broadcast }) })
const [one, two, three] = [bidAt(30n, outbid), bidAt(40n, outbid), bidAt(50n)]

test.each<[string, readonly Attempt[], Attempt | undefined, Attempt | undefined]>([
  ['the newest was refused', [one], one, undefined],
  ['two were refused', [one, two], two, undefined],
  ['the last was taken', [one, two, three], undefined, three],
  ['outside this world: none', [], undefined, undefined],
  ['outside this world: all were taken', [three], undefined, undefined],
  ['outside this world: refused for another reason', [bidAt(30n, tooLow)], undefined, undefined],
])('bids of which %s', (_, own, refused, over) => {
  expect(refusedOverForeign(own)).toEqual(refused?.fees)
  expect(overForeign(own)).toEqual(over ? [over.fees] : [])
})

describe('a bid over a foreign transaction', () => {
  const offer = eip1559(220n * gwei, 220n * gwei)
  const tipWith = (own: readonly Attempt[], cap: bigint | undefined, rivals: readonly Attempt[]) => {
    const fees = withTipWithin(30n * gwei, offer, { own, cap }, rivals, market, { rule })
    return fees.kind === 'eip1559' ? fees.maxPriorityFeePerGas / gwei : undefined
  }
  test.each<[string, bigint | undefined, bigint | undefined]>([
    ['pays the tip that keeps its price within the ceiling', tipWith([one], undefined, [one]), 10n],
    ['replaces the bid that another pool may hold', tipWith([one], undefined, [one, bidAt(100n)]), 110n],
    ['keeps its tip below a cap of the operator, which limits the price', tipWith([one], 300n * gwei, [one]), 220n],
    ['outside this world: keeps its tip where no pool refused', tipWith([three], undefined, [three]), 220n],
  ])('%s', (_, tip, expected) => {
    expect(tip).toBe(expected)
  })
})
