// The last resort: many blocks could have held the newest attempt of the next nonce, and no other condition says why none did.
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import type { SigningPurpose } from '../../../src/domain/decide/plan/traits.ts'
import type { Chances, Work } from '../../../src/domain/decide/plan/work.ts'
import { chancesBeside, countChances } from '../../../src/domain/decide/waits/no-progress.ts'
import type { Market, OpenBlock } from '../../../src/domain/fees.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import {
  answered,
  broadcastStates,
  by,
  canceled,
  eip1559,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someObservation,
  somePolicy,
  someSituation,
  someWork,
} from '../some.ts'

const fcfs = { ...somePolicy, profile: { ...somePolicy.profile, pool: 'fcfs' } } as const
const open = (changes: Partial<OpenBlock> = {}) => ({ baseFee: 10n * gwei, tip: gwei, ...changes })
const sent = someAttempt(0, { fees: eip1559(20n * gwei, 2n * gwei) })

interface Run {
  readonly blocks: number
  readonly blocktimeMs?: number
  readonly block?: Omit<OpenBlock, 'number'> | 'closed'
  readonly attempt?: typeof sent
  readonly policy?: NetworkPolicy
  readonly nonce?: number
  /** How the rows are after so many blocks. */
  readonly at?: (passed: number) => Partial<Work>
}

/** The conditions block after block, as an owner finds them. */
function run({ blocks, blocktimeMs = 12_000, block = open(), attempt = sent, policy = fcfs, ...rest }: Run) {
  const { nonce = 0, at: rowsAt = () => ({}) } = rest
  let chances: Chances | undefined
  const found: (readonly string[])[] = []
  for (let passed = 0; passed <= blocks; passed += 1) {
    const head = headAt(height + passed)
    const at = now + passed * blocktimeMs
    const openBlocks = block === 'closed' ? [] : [{ number: head.number, ...block }]
    const market: Market = { ...someMarket, blocks: { areUsed: true, haveRoom: true }, openBlocks }
    const work = someWork({ open: [inFlight(nonce, [attempt])], ...rowsAt(passed) })
    const observation = someObservation({ head, market })
    chances = countChances(chances, work, observation, policy, at)
    const plan = decide(someSituation({ ...work, ...(chances && { chances }) }, { head, market }, policy, at))
    found.push(plan.conditions)
    chances = chances && chancesBeside(plan.conditions, chances, at)
  }
  const first = found.findIndex((each) => each.includes('no_progress'))
  return { conditions: found.at(-1), first, all: found.map((each) => each.join()) }
}

describe('where transactions are ordered as they come', () => {
  test('24 blocks over 60 s after a node took it', () => {
    expect(run({ blocks: 30 }).first).toBe(24)
    expect(run({ blocks: 700, blocktimeMs: 100 }).first).toBe(600)
    expect(run({ blocks: 100, policy: { ...fcfs, bumpAfter: { blocks: 10, ms: 0 } } }).first).toBe(40)
  })

  test('bytes that are on their way again count on', () => {
    const work = (attempt: typeof sent) => ({ open: [inFlight(0, [attempt])] })
    const at = (passed: number) => ({ head: headAt(height + passed), nonce: 0, market: someMarket })
    const begun = countChances(undefined, work(sent), at(0), fcfs, now)
    const sending = work({ ...sent, broadcast: broadcastStates.sending })
    expect(countChances(begun, sending, at(2), fcfs, now)).toMatchObject({ blocks: 2 })
    expect(countChances(undefined, sending, at(2), fcfs, now)).toBeUndefined()
  })

  test('also once the sequencer calls the nonce spent: it has earlier bytes', () => {
    expect(run({ blocks: 30, attempt: { ...sent, broadcast: broadcastStates.spent } }).first).toBe(24)
  })

  test('not while no node has it, or another nonce is next', () => {
    expect(run({ blocks: 100, attempt: { ...sent, broadcast: broadcastStates.held } }).first).toBe(-1)
    expect(run({ blocks: 5, nonce: 1 }).first).toBe(-1)
  })

  test('not beside another condition', () => {
    const dear = { ...sent, fees: eip1559(gwei, gwei) }
    expect(run({ blocks: 100, attempt: dear }).first).toBe(-1)
  })
})

describe('it is the last resort', () => {
  const refusal = { kind: 'rejected', code: 'poolFull', message: 'txpool is full' } as const
  const refused = { ...sent, broadcast: { ...answered(refusal), takenAt: now } }

  test('a node that refuses the bytes now and then begins the count anew: it never alternates with that', () => {
    const at = (passed: number) => ({ open: [inFlight(0, [passed % 10 === 9 ? refused : sent])] })
    const { all } = run({ blocks: 100, at })
    expect(new Set(all)).toEqual(new Set(['', 'node_refuses']))
    const once = run({ blocks: 60, at: (passed) => (passed === 30 ? at(9) : at(0)) })
    expect(once.all.slice(24, 30)).toEqual(Array(6).fill('no_progress'))
    expect(once.all.slice(30, 31)).toEqual(['node_refuses'])
    expect(once.all.lastIndexOf('')).toBe(53)
  })

  const stuck = { policy: somePolicy, attempt: { ...sent, fees: eip1559(20n * gwei, 1n) } }
  const failure = { code: 'Throttling', isPermanent: false, retryAt: now + 10 ** 9 }
  const none = { underWay: new Set<SigningPurpose>(), late: new Set<SigningPurpose>(), failures: new Map() }

  test('not while a key service works on a higher bid, nor in place of its failure', () => {
    const open = [inFlight(0, [sent], canceled)]
    const fails = { ...none, failures: new Map([[open[0]?.id ?? 0, failure]]) }
    const underWay = { ...none, underWay: new Set<SigningPurpose>(['cancel']) }
    const works = run({ ...stuck, blocks: 60, at: () => ({ open, signing: underWay }) })
    expect(new Set(works.all)).toEqual(new Set(['']))
    const { all } = run({
      ...stuck,
      blocks: 60,
      at: (passed) => ({ open, signing: passed % 10 === 9 ? fails : underWay }),
    })
    expect(new Set(all)).toEqual(new Set(['', 'signer_unavailable']))
  })
})

test('one that a block holds by now waits for no node, though another backend counts few', () => {
  const floor = { spentBelow: 9, explainedBelow: 2 }
  const seen = { nonce: 4, inclusions: new Map([[2, by({ ...sent, nonce: 2 })]]) }
  const { decisions } = decide(someSituation({ floor, open: [inFlight(2, [{ ...sent, nonce: 2 }])] }, seen))
  expect(decisions.map((each) => each.do)).toEqual(['include'])
})

describe('where they are ordered by price', () => {
  const counted = (block: Omit<OpenBlock, 'number'> | undefined, attempt = sent) => {
    let chances: Chances | undefined
    for (let passed = 0; passed <= 10; passed += 1) {
      const head = headAt(height + passed)
      const openBlocks = block ? [{ number: head.number, ...block }] : []
      const work = { open: [inFlight(0, [attempt])] }
      chances = countChances(chances, work, { head, nonce: 0, market: { ...someMarket, openBlocks } }, somePolicy, now)
    }
    return chances?.blocks
  }

  test('a block counts if it had room and is within the bid', () => {
    expect(counted(open())).toBe(10)
    expect(counted(open({ baseFee: 20n * gwei, tip: 0n }))).toBe(10)
    expect(counted(undefined)).toBe(0)
    expect(counted(open({ baseFee: 20n * gwei + 1n }))).toBe(0)
    expect(counted(open({ tip: 2n * gwei + 1n }))).toBe(0)
    expect(counted(open({ baseFee: 19n * gwei, tip: 2n * gwei }))).toBe(0)
  })

  test('a block without a market counts later, and none twice', () => {
    const work = { open: [inFlight(0, [sent])] }
    const at = (passed: number, openBlocks?: readonly OpenBlock[]) => ({
      head: headAt(height + passed),
      nonce: 0,
      ...(openBlocks && { market: { ...someMarket, openBlocks } }),
    })
    const blocks = [1, 2, 3].map((passed) => ({ number: height + passed, ...open() }))
    const begun = countChances(undefined, work, at(0, []), somePolicy, now)
    const blind = countChances(begun, work, at(2), somePolicy, now)
    expect(blind).toEqual(begun)
    const seen = countChances(blind, work, at(3, blocks), somePolicy, now)
    expect(seen).toMatchObject({ blocks: 3, through: height + 3 })
    expect(countChances(seen, work, at(3, blocks), somePolicy, now)).toEqual(seen)
    // Another attempt begins anew.
    const bid = { open: [inFlight(0, [sent, someAttempt(0)])] }
    expect(countChances(seen, bid, at(3, blocks), somePolicy, now)).toMatchObject({ blocks: 0 })
  })
})
