// The history check of a new owner: no older transaction is bound, ended or given up before the check is complete.
import { describe, expect, test } from 'vitest'
import { apply } from '../../../src/domain/decide/apply.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import { inquireAboutHistory } from '../../../src/domain/decide/lost-history/check-history.ts'
import { findAmong } from '../../../src/domain/decide/lost-history/recover.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { Observation, Spender } from '../../../src/domain/observation.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import {
  blockHash,
  by,
  byForeign,
  canceled,
  eip1559,
  gwei,
  hashOf,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someNoOp,
  somePayload,
  somePolicy,
  someSituation,
  someWork,
} from '../some.ts'

const lostHistory = { through: 9 }
const seen = { below: 7, at: height, isWhole: false }
/** Of a first look so long ago that one more look is enough. */
const earlier = { below: 7, at: height - 2, isWhole: false }
const { from: _, ...carried } = somePayload

function spender(nonce: number, changes: Partial<Spender> = {}): Spender {
  const { raw, signature, fees } = someAttempt(nonce)
  return {
    nonce,
    hash: hashOf(0xf00 + nonce),
    block: { number: height - 5, hash: blockHash(height - 5) },
    minedAt: now,
    signed: { to: carried.to ?? '0x', value: 1n, data: '0x', gasLimit: 21_000, raw, signature, fees },
    ...changes,
  }
}

const plan = (work: Partial<Work>, observation: Partial<Observation>) =>
  decide(
    someSituation({ floor: { spentBelow: 5, explainedBelow: 5 }, lostHistory, ...work }, { nonce: 5, ...observation }),
  )

describe('the mark of an incomplete check', () => {
  const marked = { uncheckedThrough: 2, queued: [queued(3)] }
  const completes = (work: Partial<Work>, observation: Partial<Observation>) =>
    plan({ ...marked, ...work }, observation).completesHistoryCheck === true

  test('goes once the record explains all that chain and pool show', () => {
    const view = { pendingNonce: 5, lostHistory: { below: 5 } }
    expect(completes({}, view)).toBe(true)
    expect(completes({ lostHistory: { through: 2 } }, { pendingNonce: 5 })).toBe(true)
    expect(plan({ queued: [queued(3)] }, view).completesHistoryCheck).toBeUndefined()
  })
  test('stays while a pool holds something else, or was not read', () => {
    expect(completes({}, { pendingNonce: 6, lostHistory: { below: 6 } })).toBe(false)
    expect(completes({ lostHistory: { through: 2 } }, { pendingNonce: 6 })).toBe(false)
    expect(completes({ lostHistory: { through: 2 } }, {})).toBe(false)
  })
  test('stays while a newer transaction, or a gap filler, may compete with a lost one for its nonce', () => {
    const view = { pendingNonce: 6, lostHistory: { below: 6 } }
    expect(completes({ open: [inFlight(5, [someAttempt(5)], { sequence: 2 })] }, view)).toBe(true)
    expect(completes({ open: [inFlight(5, [someAttempt(5)], { sequence: 3 })] }, view)).toBe(false)
    expect(completes({ open: [inFlight(5, [someAttempt(5)], { sequence: 2, origin: 'gap' })] }, view)).toBe(false)
  })
})

const whatOf = ({ decisions }: ReturnType<typeof plan>) => decisions.map(({ do: what }) => what)

describe('while nonces are unexplained', () => {
  test('nothing as old as the owner gets a nonce, and the queue says why', () => {
    const reported = plan({ queued: [queued(1), queued(2)] }, { lostHistory: { below: 6 } })
    expect(reported.decisions).toMatchObject([{ do: 'explain', condition: 'history_unknown' }])
    expect(reported.lostHistory).toEqual({ through: 9, seen: { below: 6, at: height, isWhole: false } })
  })
  test('a pool’s count reaches no further than the service ever has in flight', () => {
    const { lostHistory: open } = plan({ queued: [queued(1)] }, { lostHistory: { below: 10 ** 12 } })
    expect(open?.seen).toMatchObject({ below: 5 + 512 })
  })
  test('what came since goes on', () => {
    const reported = plan({ queued: [queued(10)] }, { lostHistory: { below: 6 }, pendingNonce: 6 })
    expect(reported.decisions).toMatchObject([{ do: 'assignNonce', nonce: 6 }])
  })
  test('without a word of the pools nothing is bound either', () => {
    expect(whatOf(plan({ queued: [queued(1)] }, {}))).toEqual([])
  })
  test('an expired transaction does not end as if it had never been sent', () => {
    const expired = queued(1, { validUntil: now - 1 })
    expect(whatOf(plan({ queued: [expired], expiring: [expired] }, { lostHistory: { below: 6 } }))).not.toContain(
      'expire',
    )
    expect(whatOf(plan({ queued: [expired], expiring: [expired] }, { lostHistory: { below: 5 } }))).toContain('expire')
  })
  test('explained nonces grow with our settled transactions, one after the other, and not over a foreign one’s; the floor with all', () => {
    const attempts = [5, 6, 7].map((nonce) => someAttempt(nonce))
    const deep = (index: number, inclusion = by(attempts[index] as never, height - 9)) =>
      mined(5 + index, inclusion, [attempts[index] as never])
    const canonical = new Map([[height - 9, blockHash(height - 9)]])
    const ours = plan(
      { open: [deep(0), deep(2)], queued: [queued(1)] },
      { nonce: 8, canonical, lostHistory: { below: 9 } },
    )
    expect(ours).toMatchObject({ floor: { spentBelow: 8, explainedBelow: 6 }, lostHistory })
    const theirs = deep(0, byForeign(height - 9))
    const foreign = plan(
      { open: [theirs, deep(1)], queued: [queued(1)] },
      { nonce: 8, canonical, lostHistory: { below: 9 } },
    )
    expect(foreign).toMatchObject({ floor: { spentBelow: 7, explainedBelow: 5 }, lostHistory })
  })
  test('what waits in a pool has its time, and then no-ops take its nonces, but not those that we hold', () => {
    const gapFiller = inFlight(5, undefined, { origin: 'gap' })
    const bumpAfter = { blocks: 3, ms: 3_000 }
    const fills = (blocks: number, waitedMs: number, below = 7) => {
      const unexplainedSince = { block: height, ms: now - waitedMs, below: 7 }
      const work = { lostHistory: { ...lostHistory, seen }, unexplainedSince, queued: [queued(1)], open: [gapFiller] }
      const observed = { nonce: 5, lostHistory: { below }, head: headAt(height + blocks) }
      const floor = { spentBelow: 5, explainedBelow: 5 }
      const { decisions } = decide(someSituation({ floor, ...work }, observed, { bumpAfter }))
      return decisions.flatMap((each) => (each.do === 'fillGap' ? [each.nonce] : []))
    }
    expect(fills(0, 0)).toEqual([])
    expect(fills(11, 3_600_000)).toEqual([])
    // 100 blocks of 200 ms: a pool may hold our own lost payment, which a sequencer has not taken yet.
    expect(fills(100, 20_000)).toEqual([])
    expect(fills(12, 24_000)).toEqual([6])
    // What a pool shows only later has its own time.
    expect(fills(12, 24_000, 9)).toEqual([6])
  })
  test('what is seen later counts, too, until what was seen is final, and for as long as a block takes to be', () => {
    const reach = (before: typeof seen | undefined, below: number, finalBelow: number, blocks = 0) =>
      plan(
        { lostHistory: { ...lostHistory, ...(before && { seen: before }) }, queued: [queued(1)] },
        { lostHistory: { below, finalBelow }, head: headAt(height + blocks) },
      ).lostHistory?.seen
    expect(reach(undefined, 7, 7)).toEqual(seen)
    expect(reach(seen, 8, 7, 1)).toEqual({ ...seen, below: 8 })
    expect(reach(seen, 8, 6, 30)).toEqual({ ...seen, below: 8 })
    expect(reach(seen, 8, 7, 2)).toEqual({ below: 8, at: height, isWhole: true })
  })
  test('where one block makes it final, none has to come', () => {
    const known = { below: 6, finalBelow: 6, spenders: [spender(5)] }
    const work = { floor: { spentBelow: 5, explainedBelow: 5 }, lostHistory, queued: [queued(1)], found: [] }
    const reported = decide(
      someSituation(work, { nonce: 6, lostHistory: known }, { ...somePolicy, requiredConfirmations: 1 }),
    )
    expect(reported.lostHistory).toBeUndefined()
  })
  test('but a node behind the settled transactions takes none of them: it calls spent nonces free', () => {
    const floor = { spentBelow: 6, explainedBelow: 5 }
    const work = { floor, lostHistory: { ...lostHistory, seen }, queued: [queued(1)] }
    const late = plan(work, { nonce: 4, lostHistory: { below: 7 }, head: headAt(height + 40) })
    expect(whatOf(late)).not.toContain('fillGap')
  })
})

describe('where nothing is unexplained', () => {
  test('the queue goes on at once', () => {
    const reported = plan({ queued: [queued(1)] }, { lostHistory: { below: 5 } })
    expect(whatOf(reported)).toEqual(['assignNonce'])
    expect(reported.lostHistory).toBeUndefined()
  })
  test('a transaction in flight explains its nonce, but a gap filler does not', () => {
    const bound = inFlight(5, undefined, { sequence: 3 })
    expect(plan({ open: [bound], queued: [queued(4)] }, { lostHistory: { below: 6 } }).lostHistory).toBeUndefined()
    const gapFiller = inFlight(5, undefined, { sequence: 3, origin: 'gap' })
    expect(plan({ open: [gapFiller], queued: [queued(4)] }, { lostHistory: { below: 6 } }).lostHistory).toBeDefined()
  })
  test('nothing is read where all is newer than the owner', () => {
    expect(inquireAboutHistory(someWork({ lostHistory, queued: [queued(10)] }), 3)).toBeUndefined()
    expect(inquireAboutHistory(someWork({ lostHistory, queued: [queued(9)] }), 3)).toMatchObject({
      from: 0,
      confirmations: 3,
    })
  })
  test('an owner looks at what the one before it left unexplained, however far the floor has risen', () => {
    const floor = { spentBelow: 8, explainedBelow: 6 }
    expect(inquireAboutHistory(someWork({ floor, lostHistory, queued: [queued(1)] }), 3)).toMatchObject({ from: 6 })
    expect(plan({ floor, queued: [queued(1)] }, { nonce: 8, lostHistory: { below: 8 } }).decisions).toMatchObject([
      { do: 'explain', condition: 'history_unknown' },
    ])
  })
})

describe('once their spenders are found', () => {
  const known = { lostHistory: { below: 7, finalBelow: 7, spenders: [spender(5), spender(6)] }, nonce: 7 }
  const found = findAmong([queued(1)], [spender(5)])
  const looked = { lostHistory: { ...lostHistory, seen: earlier } }

  test('but not as long as more may show', () => {
    const reported = plan({ queued: [queued(1)], found }, known)
    expect(whatOf(reported)).toEqual(['explain'])
    expect(reported.lostHistory).toEqual({ ...lostHistory, seen })
  })
  test('a sent transaction is in flight again, with its attempt', () => {
    const reported = plan({ ...looked, queued: [queued(1), queued(2)], found }, known)
    const [recovered] = reported.decisions
    expect(reported.decisions).toMatchObject([{ do: 'recover', transaction: { id: queued(1).id } }])
    expect(reported.observeAgainAtOnce).toBe(true)
    if (recovered?.do !== 'recover') throw new Error('it must be recovered')
    expect(apply(recovered, recovered.transaction, undefined, now).lifecycle).toMatchObject({
      phase: 'inFlight',
      nonce: 5,
      attempts: [
        { hash: spender(5).hash, kind: 'execute', recordedAtBlock: height - 6, broadcast: { state: 'handed' } },
      ],
    })
  })
  test('but not before another gave its nonce back', () => {
    const other = mined(5, byForeign(height - 1), [someAttempt(5)])
    const reported = plan({ ...looked, open: [other], queued: [queued(1)], found }, known)
    expect(whatOf(reported)).not.toContain('recover')
    expect(reported.lostHistory).toBeDefined()
  })
  test('but not before one that a foreign transaction overtook is back in the queue, where its payload is compared', () => {
    const overtaken = (sequence: number) => mined(5, byForeign(height - 1), [someAttempt(5)], { sequence })
    const isOpen = (other: Transaction) =>
      plan({ ...looked, open: [other], queued: [queued(1)], found: [] }, known).lostHistory !== undefined
    expect(isOpen(overtaken(0))).toBe(true)
    expect(isOpen(inFlight(5, [someAttempt(5)], { sequence: 0 }))).toBe(true)
    // Sent after this owner began, or canceled: the lost history can't have sent it again.
    expect(isOpen(overtaken(lostHistory.through + 1))).toBe(false)
    expect(isOpen({ ...overtaken(0), ...canceled })).toBe(false)
    // Given up for now: behind its no-op it is sent again.
    const forNow = { cancellation: { origin: 'refusal', requestedAt: now }, giveUps: 1 } as const
    const noOp = someNoOp(5)
    expect(isOpen(mined(5, by(noOp, height - 1), [noOp], { sequence: 0, ...forNow }))).toBe(true)
    expect(isOpen(mined(5, by(noOp, height - 1), [noOp], { sequence: 0, ...forNow, giveUps: 3 }))).toBe(false)
  })
  test('none of it ours: the floor rises above them, and the queue goes on', () => {
    const reported = plan({ ...looked, queued: [queued(1)], found: [] }, known)
    expect(reported).toMatchObject({ floor: { spentBelow: 7, explainedBelow: 7 } })
    expect(reported.lostHistory).toBeUndefined()
    expect(reported.decisions).toMatchObject([{ do: 'assignNonce', nonce: 7 }])
  })
  test('the floor rises no higher than they reach, whatever a node counts by then: the nonces above would be lost', () => {
    const counted = { ...known, lostHistory: { ...known.lostHistory, finalBelow: 22 } }
    expect(plan({ ...looked, queued: [queued(1)], found: [] }, counted).floor).toEqual({
      spentBelow: 7,
      explainedBelow: 7,
    })
  })
})

describe('what a spender carries', () => {
  test('explains the oldest that says the same, and each spender one', () => {
    const [one, two, three] = [queued(1), queued(2), queued(3)]
    const pairs = findAmong([one, two, three], [spender(5), spender(6)])
    expect(pairs.map(({ transaction, spender: { nonce } }) => [transaction.sequence, nonce])).toEqual([
      [1, 5],
      [2, 6],
    ])
  })
  test.each([
    ['receiver', { to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as const }],
    ['value', { value: 2n }],
    ['data', { data: '0x00' as const }],
    ['access list', { accessList: [{ address: somePayload.from, storageKeys: [] }] }],
  ])('another %s is another transaction', (_, payload) => {
    expect(findAmong([queued(1, { payload: { ...somePayload, ...payload } })], [spender(5)])).toEqual([])
  })
  test('a payload that was replaced since counts, as what it is', () => {
    const replaced = queued(1, { payload: { ...somePayload, value: 9n }, earlier: [somePayload] })
    expect(findAmong([replaced], [spender(5)])).toMatchObject([{ revision: 0 }])
    const again = queued(1, { earlier: [{ ...somePayload, value: 9n }] })
    expect(findAmong([again], [spender(5)])).toMatchObject([{ revision: 1 }])
  })
  test('a request long after it was mined is not the one, and a transaction that nobody here can have signed counts for nothing', () => {
    expect(findAmong([queued(1)], [spender(5, { minedAt: now - 2 * 3_600_000 })])).toEqual([])
    const { signed: __, ...foreign } = spender(5)
    expect(findAmong([queued(1)], [foreign])).toEqual([])
  })
  test('its price does not matter', () => {
    const { signed } = spender(5)
    const dear = signed && { ...signed, fees: eip1559(900n * gwei, 9n * gwei) }
    expect(findAmong([queued(1)], [spender(5, dear && { signed: dear })])).toHaveLength(1)
  })
})
