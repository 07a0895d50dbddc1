// The last resort: many blocks could have held the newest attempt of the next nonce, and no other condition says why none did.
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import type { Chances } from '../../../src/domain/decide/plan/work.ts'
import { countChances } from '../../../src/domain/decide/waits/no-progress.ts'
import type { Market, OpenBlock } from '../../../src/domain/fees.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import {
  broadcastStates,
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
}

/** The conditions block after block, as an owner finds them. */
function run({ blocks, blocktimeMs = 12_000, block = open(), attempt = sent, policy = fcfs, nonce = 0 }: Run) {
  let chances: Chances | undefined
  const found: (readonly string[])[] = []
  for (let passed = 0; passed <= blocks; passed += 1) {
    const head = headAt(height + passed)
    const at = now + passed * blocktimeMs
    const openBlocks = block === 'closed' ? [] : [{ number: head.number, ...block }]
    const market: Market = { ...someMarket, blocks: { areUsed: true, haveRoom: true }, openBlocks }
    const work = someWork({ open: [inFlight(nonce, [attempt])] })
    const observation = someObservation({ head, market })
    chances = countChances(chances, work, observation, policy, at)
    const plan = decide(someSituation({ ...work, ...(chances && { chances }) }, { head, market }, policy, at))
    found.push(plan.conditions)
  }
  return { conditions: found.at(-1), first: found.findIndex((each) => each.includes('no_progress')) }
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
