// How a new head is linked to earlier blocks: one by one, or across a gap.
import { expect, test } from 'vitest'
import { openAncestry } from '../../../src/chain/heads/ancestry.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { Head } from '../../../src/domain/observation.ts'

const hashOf = (branch: string, number: number) => `0x${branch}${number.toString(16).padStart(63, '0')}` as Hash

/** A chain that leaves `a` for `b` above `forkedAt`. */
function chainThat(forkedAt = Number.POSITIVE_INFINITY) {
  const branchAt = (number: number) => (number > forkedAt ? 'b' : 'a')
  const headerAt = (number: number): Head => ({
    number,
    hash: hashOf(branchAt(number), number),
    parentHash: hashOf(branchAt(number - 1), number - 1),
    timestampMs: number * 100,
  })
  return headerAt
}

function reading(headerAt: (number: number) => Head | undefined) {
  const requested: number[] = []
  const read = async (numbers: readonly number[]) => {
    requested.push(...numbers)
    return numbers.map(headerAt)
  }
  return { requested, read }
}

const ofChain = async () => true

async function knownThrough(number: number) {
  const ancestry = openAncestry(() => undefined)
  const { read } = reading(chainThat())
  for (let each = number - 4; each <= number; each += 1) await ancestry.advance(chainThat()(each), read, ofChain)
  return ancestry
}

test('a few blocks are walked, and each is remembered', async () => {
  const ancestry = await knownThrough(100)
  const { requested, read } = reading(chainThat())
  expect(await ancestry.advance(chainThat()(110), read, ofChain)).toEqual({ isTip: true, linked: true, lost: 0 })
  expect(requested).toHaveLength(9)
  expect(ancestry.hashAt(105)).toBe(hashOf('a', 105))
})

test('a wide gap costs two headers, and keeps the earlier blocks', async () => {
  const ancestry = await knownThrough(100)
  const { requested, read } = reading(chainThat())
  expect(await ancestry.advance(chainThat()(160), read, ofChain)).toEqual({ isTip: true, linked: true, lost: 0 })
  expect(requested).toEqual([160, 100])
  expect([98, 130, 160].map(ancestry.hashAt)).toEqual([hashOf('a', 98), undefined, hashOf('a', 160)])
})

test('across a wide gap, nothing is kept of a branch that the node has left', async () => {
  const ancestry = await knownThrough(100)
  const { read } = reading(chainThat(97))
  expect(await ancestry.advance(chainThat(97)(160), read, ofChain)).toEqual({ isTip: true, linked: false, lost: 0 })
  expect([97, 100].map(ancestry.hashAt)).toEqual([undefined, undefined])
})

test('nor by the word of a node that does not have the head: it may be on the old branch still', async () => {
  const ancestry = await knownThrough(100)
  const { read } = reading((number) => (number > 120 ? undefined : chainThat()(number)))
  expect((await ancestry.advance(chainThat(97)(160), read, ofChain)).linked).toBe(false)
})

test('a reorganization above a gap is followed down to the head before it', async () => {
  const ancestry = await knownThrough(100)
  await ancestry.advance(chainThat()(160), reading(chainThat()).read, ofChain)
  for (const number of [161, 162, 163]) await ancestry.advance(chainThat()(number), reading(chainThat()).read, ofChain)
  const { read } = reading(chainThat(161))
  expect(await ancestry.advance(chainThat(161)(164), read, ofChain)).toEqual({ isTip: true, linked: true, lost: 2 })
  expect([161, 162].map(ancestry.hashAt)).toEqual([hashOf('a', 161), hashOf('b', 162)])
})

test('a head that nothing links is no tip while the node serves another chain, and the earlier blocks stay', async () => {
  const ancestry = await knownThrough(100)
  const { read } = reading(chainThat(1))
  const advanced = await ancestry.advance(chainThat(1)(101), read, async () => false)
  expect(advanced).toEqual({ isTip: false, linked: false, lost: 0 })
  expect(ancestry.hashAt(100)).toBe(hashOf('a', 100))
  expect(await ancestry.advance(chainThat()(101), read, ofChain)).toEqual({ isTip: true, linked: true, lost: 0 })
})
