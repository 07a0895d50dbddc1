// Which endpoints are on which branch, and which branch is followed when they stay apart.
import { expect, test } from 'vitest'
import type { HeadReport } from '../../../src/chain/heads/believe-head.ts'
import {
  continueDispute,
  type Dispute,
  decideDispute,
  groupBranches,
  type Holder,
} from '../../../src/chain/heads/branches.ts'
import type { Hash } from '../../../src/domain/ids.ts'

type Report = HeadReport<Holder>

const endpoints = [0, 1, 2, 3].map((index): Holder => ({ index, provider: `host ${index}` }))
/** Branches part above block 90. */
const hashOf = (branch: string, number: number): Hash =>
  `0x${number > 90 ? branch : '0'}${number.toString(16).padStart(63, '0')}`

interface Placed extends Report {
  readonly branch: string
}

function on(branch: string, number: number, by: Holder = { index: 9, provider: 'host 9' }): Placed {
  const parentHash = hashOf(branch, number - 1)
  return { head: { number, hash: hashOf(branch, number), parentHash, timestampMs: number * 1_000 }, by, branch }
}

const grouped = (reports: readonly Placed[]) =>
  groupBranches<Holder>(reports, async (higher, { head }) => {
    const found = reports.find((each) => each.head.hash === higher.head.hash)
    return found && hashOf(found.branch, head.number)
  })

const [one, two, three, four] = endpoints
const indexes = async (reports: readonly Placed[]) =>
  (await grouped(reports)).map((branch) => branch.map(({ by }) => by.index))

test('endpoints at different heights of one branch are on it, the highest first', async () => {
  expect(await indexes([on('a', 100, one), on('a', 103, two), on('a', 60, three)])).toEqual([[1, 0, 2]])
})

test('endpoints on two branches are apart, and one below their fork is on neither', async () => {
  expect(await indexes([on('a', 100, one), on('b', 103, two), on('a', 99, three), on('a', 60, four)])).toEqual([
    [1],
    [0, 2],
  ])
})

test('the newest blocks over one parent are no branches: flashblocks change the hash of theirs', async () => {
  const flash = (placed: Placed, digit: string): Placed => {
    const hash: Hash = `0xf${digit.repeat(63)}`
    return { ...placed, head: { ...placed.head, hash } }
  }
  expect(await indexes([flash(on('a', 100, one), '1'), flash(on('a', 100, two), '2'), on('a', 100, three)])).toEqual([
    [0, 1, 2],
  ])
  expect(await indexes([on('a', 102, one), flash(on('a', 100, two), '1')])).toEqual([[0, 1]])
  expect(await indexes([on('a', 102, one), flash(on('b', 100, two), '1')])).toEqual([[0], [1]])
})

function decided(rounds: readonly (readonly Placed[])[], everyMs: number) {
  let dispute: Dispute<Holder> | undefined
  return rounds.reduce<Promise<unknown>>(async (before, reports, index) => {
    await before
    const branches = await grouped(reports)
    dispute = continueDispute(dispute, branches, index * everyMs)
    const decision = decideDispute(dispute, branches, index * everyMs)
    return Array.isArray(decision) ? decision.map(({ by }) => by.index) : decision
  }, Promise.resolve(undefined))
}

const round = (a: number, b: number) => [on('a', 100 + a, one), on('b', 100 + b, two)]

test('the branch of most providers is followed after three readings and ten seconds', async () => {
  const apart = [on('a', 100, one), on('b', 150, two), on('a', 100, three)]
  expect(await decided([apart, apart, apart], 5_000)).toEqual([0, 2])
  expect(await decided([apart, apart], 60_000)).toBeUndefined()
  expect(await decided([apart, apart, apart, apart], 3_333)).toBeUndefined()
})

test('two endpoints of one provider are one voice', async () => {
  const ofOne = (index: number): Holder => ({ index, provider: 'the same' })
  const apart = [on('a', 100, ofOne(0)), on('a', 100, ofOne(1)), on('b', 150, two)]
  expect(await decided([apart, apart, apart], 5_000)).toBeUndefined()
})

test('of as many on both sides, the branch that grows is followed', async () => {
  expect(await decided([round(0, 9), round(1, 9), round(2, 9)], 5_000)).toEqual([0])
})

test('of as many on both sides that both grow, neither is followed', async () => {
  expect(await decided([round(0, 9), round(1, 10), round(2, 11)], 5_000)).toBe('split')
})
