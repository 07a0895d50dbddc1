// The comparison of plans (npm run same-plans) notices what two plans may differ in, and nothing else.
import { expect, test } from 'vitest'
import { byBoth, differences } from '../../sim/same-plans/compare.ts'

const transaction = { id: 'a', cost: 2n }

test.each([
  ['an order', [{ do: 'drop' }, { do: 'bump' }], [{ do: 'bump' }, { do: 'drop' }]],
  ['an amount', { fees: 2n }, { fees: 3n }],
  ['a member that is absent', { floor: 0 }, {}],
  ['one decision less', [transaction], [transaction, transaction]],
  ['a member of a map', new Map([['a', 1]]), new Map([['a', 2]])],
  ['a member of a set', new Set(['balance']), new Set()],
])('a difference is noticed: %s', (_, ours, theirs) => {
  expect(
    byBoth(
      'decide',
      () => ours,
      () => theirs,
    )(),
  ).toBe(ours)
  expect(differences.splice(0)).toHaveLength(1)
})

test('an error of the other commit is a difference', () => {
  const fails = () => {
    throw new Error('gone')
  }
  byBoth('decide', () => [], fails)()
  expect(differences.splice(0)).toEqual([expect.stringContaining('gone')])
})

test.each([
  ['equal copies', [{ ...transaction }], [{ ...transaction }]],
  ['a member that is false, or absent', { isBusy: false, seen: undefined }, {}],
])('no difference: %s', (_, ours, theirs) => {
  byBoth(
    'decide',
    () => ours,
    () => theirs,
  )()
  expect(differences).toEqual([])
})
