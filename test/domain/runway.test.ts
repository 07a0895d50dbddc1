// The runway of an account: its spending by days, the time that its balance lasts, and warnings that begin and end once.
import { expect, test } from 'vitest'
import { dayMs, dayOf } from '../../src/domain/daily-spend.ts'
import { type Funds, fundsAfter, runwayMaxMs, runwayOf, spentPerDay, warningSentence } from '../../src/domain/runway.ts'
import { ether, somePolicies } from './some.ts'

const midnight = 20_500 * dayMs
const hour = 3_600_000
const spent = (...amounts: readonly bigint[]) =>
  amounts.map((amount, ago) => ({ day: dayOf(midnight) - ago, spent: amount }))

test.each([
  ['nothing without spending', 0, [], 0n],
  ['today, as far as it has gone, and the part of yesterday within 24 hours', 6 * hour, [10n, 40n], 40n],
  ['at midnight, all of yesterday', 0, [0n, 40n], 40n],
  ['the mean of the week, where the last day was quiet', 12 * hour, [0n, 0n, 700n], 100n],
  ['the part of the eighth day within the week', 18 * hour, [0n, 0n, 0n, 0n, 0n, 0n, 0n, 2_800n], 100n],
  ['nothing of days before', 0, [0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 9_000n], 0n],
] as const)('the spending of a day: %s', (_, into, amounts, expected) => {
  expect(spentPerDay(spent(...amounts), midnight + into)).toBe(expected)
})

test.each([
  ['absent without spending', ether, 0n, undefined],
  ['two days and a half', 5n * ether, 2n * ether, 2.5 * dayMs],
  ['nothing once the reserve is touched', -1n, ether, 0],
  ['ten years at most', 2n ** 199n, 1n, runwayMaxMs],
] as const)('the runway: %s', (_, free, perDay, ms) => {
  expect(runwayOf(free, perDay)).toEqual(ms === undefined ? undefined : { ms, perDay })
})

const policies = { ...somePolicies, runwayWarning: 10 * hour, lowBalance: 10n * ether }
// 24 ether a day: an hour for each ether.
const days = spent(24n * ether)
const now = midnight + 6 * hour

function after(reading: Parameters<typeof fundsAfter>[0], before?: Funds, at = now) {
  return fundsAfter(reading, days, { policies, before, now: at })
}
const warned = ({ warnings }: Funds) => warnings.map(({ warning }) => warning)

test('a warning begins below its limit, ends above one and a half times it, and keeps its beginning', () => {
  const fine = after({ balance: 10n * ether, free: 10n * ether })
  expect(fine).toEqual({ runway: { ms: 10 * hour, perDay: 24n * ether }, warnings: [] })
  const short = after({ balance: 10n * ether, free: 9n * ether }, fine)
  expect(short.warnings).toEqual([{ warning: 'runway_short', since: now }])
  const still = after({ balance: 15n * ether, free: 15n * ether }, short, now + 1)
  expect(still.warnings).toEqual(short.warnings)
  expect(after({ balance: 16n * ether, free: 16n * ether }, still).warnings).toEqual([])

  const low = after({ balance: 10n * ether - 1n, free: 20n * ether })
  expect(low.warnings).toEqual([{ warning: 'balance_low', since: now }])
  expect(after({ balance: 15n * ether, free: 20n * ether }, low, now + 1).warnings).toEqual(low.warnings)
  expect(after({ balance: 15n * ether + 1n, free: 20n * ether }, low).warnings).toEqual([])
})

test('what no node has reported yet begins and ends no warning', () => {
  expect(after({})).toEqual({ warnings: [] })
  const both = after({ balance: ether, free: ether })
  expect(warned(both)).toEqual(['runway_short', 'balance_low'])
  expect(after({}, both)).toEqual({ warnings: both.warnings })
  // The prices are missing, which the reserve depends on.
  expect(warned(after({ balance: 20n * ether }, both))).toEqual(['runway_short'])
})

test('without spending, without low_balance, and on a chain that has no balances, nothing warns', () => {
  const both = after({ balance: ether, free: ether })
  const quiet = fundsAfter({ balance: ether, free: ether }, [], { policies, before: both, now })
  expect(quiet).toEqual({ warnings: [both.warnings[1]] })
  const { lowBalance: _, ...without } = policies
  expect(
    warned(fundsAfter({ balance: 0n, free: 99n * ether }, days, { policies: without, before: both, now })),
  ).toEqual([])
  expect(after({ balance: 2n ** 248n, free: 2n ** 248n }, both)).toEqual({ warnings: [] })
})

test('a day is the limit where no policy sets another', () => {
  const at = (free: bigint) => warned(fundsAfter({ free }, days, { policies: somePolicies, before: undefined, now }))
  expect(at(24n * ether)).toEqual([])
  expect(at(24n * ether - 1n)).toEqual(['runway_short'])
})

test('the sentence of a warning has the figures', () => {
  const both = after({ balance: ether, free: ether })
  const of = { balance: ether, policies }
  expect(warningSentence('runway_short', both, of)).toBe(
    'the balance pays for 60 min of sends at 24 ether a day: below runway_warning (10h), or not far above it',
  )
  expect(warningSentence('balance_low', both, of)).toBe(
    'the balance (1 ether) is low: below low_balance (10 ether), or not far above it',
  )
  expect(warningSentence('runway_short', { warnings: both.warnings }, of)).toMatch(
    /lasted for less than runway_warning/,
  )
})
