// Second counts of an account: by another endpoint, or by the only one that answers, three times.
import { expect, test } from 'vitest'
import { readingSecondCounts } from '../../../src/chain/accounts/second-count.ts'
import type { TrackedHead } from '../../../src/chain/heads/track-head.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import { address, headAt } from '../../domain/some.ts'

interface Counting {
  readonly endpoint: Endpoint
  /** The answers to come; the last one stays. Undefined: it does not answer. */
  answers: (number | undefined)[]
}

function counting(...answers: (number | undefined)[]): Counting {
  const each: Counting = {
    answers,
    endpoint: {
      provider: crypto.randomUUID(),
      fit: () => true,
      ready: () => Promise.resolve(undefined),
      call: () => {
        const [next] = each.answers.length > 1 ? each.answers.splice(0, 1) : each.answers
        return Promise.resolve(
          next === undefined
            ? { kind: 'unknown', message: 'timed out' }
            : { kind: 'value', value: `0x${next.toString(16)}` },
        )
      },
    } as unknown as Endpoint,
  }
  return each
}

function among(...all: readonly Counting[]) {
  let elapsed = 0
  let reorgs = 0
  const endpoints = { order: () => all.map(({ endpoint }) => endpoint) } as unknown as Endpoints
  const counts = readingSecondCounts(endpoints, { elapsed: () => elapsed }, () => reorgs)
  const by = all[0]?.endpoint as Endpoint
  const at = (number: number): TrackedHead => ({ head: headAt(number), by })
  return {
    read: async (number: number) => (await counts.read(address, at(number), by))?.nonce,
    source: async (number: number) => (await counts.read(address, at(number), by))?.by,
    ofUnshown: (number: number, isUrgent = false) => counts.ofUnshown(address, at(number), by, isUrgent),
    allShown: () => counts.allShown(address),
    lower: (count: number) => counts.lower(address, at(1), by, count),
    confirm: (count: number, number = 1) => counts.confirm(address, at(number), by, { count, below: 4 }),
    explained: () => counts.explained(address),
    reorganize: () => {
      reorgs += 1
    },
    wait: (ms: number) => {
      elapsed += ms
    },
  }
}

test('another endpoint gives the second count', async () => {
  const account = among(counting(300), counting(undefined), counting(4))
  expect(await account.read(1)).toBe(4)
  expect(await account.source(1)).toBe('another')
  expect(await account.lower(300)).toBe(4)
  expect(await account.lower(3)).toBe(3)
})

test('the only endpoint gives it after three counts at different heads: the highest of them', async () => {
  const account = among(counting(4, 6, 5))
  expect(await account.read(1)).toBeUndefined()
  expect(await account.read(1)).toBeUndefined()
  expect(await account.read(2)).toBeUndefined()
  expect(await account.read(3)).toBe(6)
  expect(await account.source(4)).toBe('same')
})

test('on a chain that makes no blocks, time counts instead of heads', async () => {
  const account = among(counting(4))
  for (const expected of [undefined, undefined, 4]) {
    expect(await account.read(1)).toBe(expected)
    account.wait(5_000)
  }
})

test('silence of the others counts for as much only after ten minutes', async () => {
  const other = counting(undefined)
  const account = among(counting(4), other)
  for (const number of [1, 2, 3, 4]) expect(await account.read(number)).toBeUndefined()
  account.wait(599_999)
  expect(await account.read(5)).toBeUndefined()
  account.wait(1)
  expect(await account.read(6)).toBe(4)
  other.answers = [9]
  expect(await account.read(7)).toBe(9)
  other.answers = [undefined]
  expect(await account.read(8)).toBeUndefined()
})

test('a count that the only endpoint does not repeat is false', async () => {
  expect(await among(counting(4)).lower(304)).toBe(4)
  expect(await among(counting(304, 4)).lower(304)).toBe(4)
  expect(await among(counting(304)).lower(304)).toBe(304)
  expect(await among(counting(undefined)).lower(304)).toBe(304)
})

test('an unexplained count is confirmed by another endpoint at the same block: the lower of the two', async () => {
  const account = among(counting(300), counting(undefined), counting(7))
  expect(await account.confirm(300)).toBe(7)
  expect(await account.confirm(5)).toBe(5)
})

test('the only endpoint confirms it in three readings over fifteen seconds: the lowest of them', async () => {
  const account = among(counting(undefined))
  expect(await account.confirm(300, 1)).toBe('doubted')
  expect(await account.confirm(298, 2)).toBe('doubted')
  expect(await account.confirm(300, 3)).toBe('doubted')
  account.wait(14_999)
  expect(await account.confirm(300, 4)).toBe('doubted')
  account.wait(1)
  expect(await account.confirm(300, 5)).toBe(298)
  expect(await account.confirm(300, 6), 'the next begins anew').toBe('doubted')
})

test('two readings are too few, however long ago the first was, and one head in five seconds is one reading', async () => {
  const account = among(counting(undefined))
  expect(await account.confirm(300)).toBe('doubted')
  account.wait(20_000)
  for (let times = 0; times < 5; times += 1) expect(await account.confirm(300)).toBe('doubted')
  account.wait(5_000)
  expect(await account.confirm(300)).toBe(300)
})

test('readings on two branches, or before an explained count, do not count', async () => {
  const account = among(counting(undefined))
  for (const begin of [account.reorganize, account.explained]) {
    for (const number of [1, 2, 3]) expect(await account.confirm(300, number)).toBe('doubted')
    account.wait(15_000)
    begin()
    expect(await account.confirm(300, 4)).toBe('doubted')
    account.wait(1_000)
    expect(await account.confirm(300, 5)).toBe('doubted')
    account.explained()
  }
})

test('a nonce that is counted as spent without a spender: another provider counts at the next head, three seconds later', async () => {
  const account = among(counting(5), counting(4))
  expect(await account.ofUnshown(1)).toBeUndefined()
  account.wait(3_000)
  expect(await account.ofUnshown(1)).toBeUndefined()
  expect(await account.ofUnshown(2)).toBe(4)
  account.allShown()
  expect(await account.ofUnshown(3)).toBeUndefined()
  account.wait(2_999)
  expect(await account.ofUnshown(4)).toBeUndefined()
  expect(await account.ofUnshown(4, true)).toBe(4)
  expect(await among(counting(5)).ofUnshown(1, true)).toBeUndefined()
})
