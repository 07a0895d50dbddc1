// Which head is believed: what moves it on, what counts as lag, and when a lower head is believed after all.
import { describe, expect, test } from 'vitest'
import {
  countFall,
  countHolders,
  type Falls,
  type HeadReport,
  isFarAhead,
  isOnAnotherBranch,
  movesOn,
  noFalls,
} from '../../../src/chain/heads/believe-head.ts'
import type { Hash } from '../../../src/domain/ids.ts'

const hashOf = (branch: string, number: number) => `0x${branch}${number.toString(16).padStart(63, '0')}` as Hash

function report(number: number, by: string, branch = 'a'): HeadReport<string> {
  const head = {
    number,
    hash: hashOf(branch, number),
    parentHash: hashOf(branch, number - 1),
    timestampMs: number * 100,
  }
  return { head, by }
}

const known = report(100, 'first')
/** The last ten blocks of the branch `a`. */
const hashAt = (number: number) => (number > 90 && number <= 100 ? hashOf('a', number) : undefined)

test('a tracker without blocks believes any head', () => {
  expect(movesOn(undefined, report(7, 'first'), () => undefined)).toBe(true)
})

test.each([
  ['a higher head, by any endpoint', report(101, 'second'), true],
  ['the current head, by any endpoint', report(100, 'second'), true],
  ['a lower block of the current branch, by its reporter', report(99, 'first'), false],
  ['a lower block of the current branch, by another endpoint', report(99, 'second'), false],
  ['another branch as high, by the reporter of the current head', report(100, 'first', 'b'), true],
  ['another branch below, by the reporter of the current head', report(99, 'first', 'b'), true],
  ['another branch as high, by another endpoint', report(100, 'second', 'b'), false],
  ['a height without a remembered block, by the reporter of the current head', report(50, 'first', 'b'), false],
])('%s', (_, reported, expected) => {
  expect(movesOn(known, reported, hashAt)).toBe(expected)
})

/** Counts one reading after the other; the reports that were believed, `undefined` where none was. */
function readings(
  each: readonly { readonly atMs: number; readonly tookMs?: number; readonly behind: readonly HeadReport<string>[] }[],
  { isAgreed = false, blocktimeMs = 1_000 } = {},
) {
  let falls: Falls = noFalls
  return each.map(({ atMs, tookMs = 0, behind }) => {
    const at = { begunMs: atMs - tookMs, endedMs: atMs, blocktimeMs, isAgreed }
    const fallen = countFall(falls, known, behind, at)
    falls = fallen.falls
    return fallen.believed
  })
}

const lower = report(60, 'first')
const lowerElsewhere = report(70, 'second')

test('a fall that its reporter confirms is believed at the third reading, two block times and 4 s after the first', () => {
  const behind = [lower]
  const soon = [0, 1, 2, 3_999].map((atMs) => ({ atMs, behind }))
  expect(readings(soon)).toEqual([undefined, undefined, undefined, undefined])
  expect(readings([...soon, { atMs: 4_000, behind }]).at(-1)).toBe(lower)
  expect(readings([...soon, { atMs: 23_999, behind }], { blocktimeMs: 12_000 }).at(-1)).toBeUndefined()
  expect(readings([0, 5_000].map((atMs) => ({ atMs, behind })))).toEqual([undefined, undefined])
})

test('an answer that was long on its way shows no longer fall', () => {
  const behind = [lower]
  const begun = [0, 1].map((atMs) => ({ atMs, behind }))
  expect(readings([...begun, { atMs: 4_000, tookMs: 1, behind }]).at(-1)).toBeUndefined()
  expect(readings([...begun, { atMs: 4_001, tookMs: 1, behind }]).at(-1)).toBe(lower)
})

test('of the heads that are behind the highest is believed', () => {
  const behind = [lower, lowerElsewhere]
  expect(readings([0, 1_000, 4_000].map((atMs) => ({ atMs, behind }))).at(-1)).toBe(lowerElsewhere)
})

test('while the reporter does not answer, the others are believed only after 128 block times and a minute', () => {
  const behind = [lowerElsewhere]
  const long = [0, 2_000, 60_000, 127_999].map((atMs) => ({ atMs, behind }))
  expect(readings(long)).toEqual([undefined, undefined, undefined, undefined])
  expect(readings([...long, { atMs: 128_000, behind }]).at(-1)).toBe(lowerElsewhere)
  const fast = [0, 2_000, 59_999].map((atMs) => ({ atMs, behind }))
  expect(readings(fast, { blocktimeMs: 200 }).at(-1)).toBeUndefined()
})

test('the count begins anew when the reporter answers again, or falls silent', () => {
  const silent = { atMs: 0, behind: [lowerElsewhere] }
  const answering = [1_000, 2_000, 4_999, 5_000].map((atMs) => ({ atMs, behind: [lower] }))
  expect(readings([silent, ...answering])).toEqual([undefined, undefined, undefined, undefined, lower])
  const last = { atMs: 5_000, behind: [lowerElsewhere] }
  expect(readings([...answering.slice(0, 3), last]).at(-1)).toBeUndefined()
})

test('a head far ahead whose reporter is gone is forgotten once two others have agreed for 4 s', () => {
  const behind = [lower, lowerElsewhere].map(({ head }) => ({ head, by: 'second' }))
  const soon = [0, 3_999, 4_000].map((atMs) => ({ atMs, behind }))
  expect(readings(soon, { isAgreed: true }).map((each) => each?.head.number)).toEqual([undefined, undefined, 70])
  expect(readings(soon)).toEqual([undefined, undefined, undefined])
})

test('far ahead is more than news that is on its way', () => {
  expect(isFarAhead(known, [report(92, 'second'), report(60, 'third')])).toBe(false)
  expect(isFarAhead(known, [report(91, 'second'), report(60, 'third')])).toBe(true)
})

test.each([
  ['a remembered block of it', report(95, 'second'), false],
  ['another hash at the height of a remembered block', report(95, 'second', 'b'), true],
  ['a height far below, without a remembered block', report(90, 'second'), true],
])('whether a lower head may be of another branch: %s', (_, reported, expected) => {
  expect(isOnAnotherBranch(reported, known.head, hashAt)).toBe(expected)
})

describe('laggards', () => {
  const by = (provider: string) => ({ provider })
  const [one, two, three] = ['one', 'two', 'three'].map(by)
  const of = (number: number, endpoint = by('none'), blockMs = 1_000) => ({
    head: { ...report(number, '').head, timestampMs: number * blockMs },
    by: endpoint,
  })

  test('are not behind by some blocks of 200 ms: that is how news travels', () => {
    const holders = countHolders<{ readonly provider: string }>()
    for (const each of [one, two]) holders.holds(of(100, each, 200))
    expect(holders.laggardsAmong([of(91, three, 200)])).toEqual([])
    expect(holders.laggardsAmong([of(90, three, 200)])).toEqual([three])
  })

  test('are two blocks and two seconds or more behind the heads of two providers', () => {
    const holders = countHolders<{ readonly provider: string }>()
    holders.holds(of(100, one))
    expect(holders.laggardsAmong([of(1, three)])).toEqual([])
    holders.holds(of(101, two))
    expect(holders.laggardsAmong([of(99, three)])).toEqual([])
    expect(holders.laggardsAmong([of(98, three)])).toEqual([three])
    holders.clear()
    expect(holders.laggardsAmong([of(98, three)])).toEqual([])
  })

  test('are never behind the head of one provider alone', () => {
    const holders = countHolders<{ readonly provider: string }>()
    for (const number of [100, 101, 102]) holders.holds(of(number, by('one')))
    expect(holders.laggardsAmong([of(1, three)])).toEqual([])
  })
})
