// A change of a transaction adds the figures of its new state, and takes away those of its old one.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { confirm, finalize, include, reopen, requeue } from '../../src/domain/decide/facts/inclusion.ts'
import {
  addFigures,
  figureChanges as changesOf,
  delayBoundsSeconds,
  delayFigures,
  type Figure,
  feesOf,
  periodMs,
  periodOf,
} from '../../src/domain/figures.ts'
import { type Inclusion, isInPhase, type Transaction } from '../../src/domain/transaction.ts'
import { by, byForeign, gwei, now, queued, someAttempt, someNoOp } from './some.ts'

const at = periodOf(now)
const later = now + 3 * periodMs
const attempt = someAttempt(1)
const spent = { spent: 1, gas: 21_000, gwei: 63_000 }

const waiting = (changes: Partial<Transaction> = {}) => queued(1, { createdAt: now - 4_000, ...changes })

function sent(changes: Partial<Transaction> = {}) {
  const lifecycle = { phase: 'inFlight', nonce: 1, attempts: [attempt] } as const
  return { ...waiting(changes), lifecycle, sentAt: now }
}

function mined(inclusion: Inclusion = by(attempt), changes: Partial<Transaction> = {}) {
  const after = include(sent(changes), inclusion)
  if (!isInPhase(after, 'mined')) throw new Error('it is mined')
  return after
}

function confirmed(...of: Parameters<typeof mined>) {
  const after = confirm(mined(...of), later)
  if (!isInPhase(after, 'mined')) throw new Error('it is mined')
  return after
}

/** The sums of a change, without those that are 0. */
function figureChanges(...of: Parameters<typeof changesOf>) {
  const sums = new Map<number, Partial<Record<Figure, number>>>()
  for (const change of changesOf(...of)) {
    const sum = sums.get(change.at) ?? {}
    sums.set(change.at, sum)
    addFigures(sum, change)
  }
  return [...sums].flatMap(([period, sum]) => {
    const figures = Object.fromEntries(Object.entries(sum).filter(([, change]) => change !== 0))
    return Object.keys(figures).length > 0 ? [{ at: period, figures }] : []
  })
}

test('each step of a life counts once, in the five minutes in which it happened', () => {
  const [beside, delayed] = [{ delay_ms: later - now + 4_000, delay_3600: 1 }, periodOf(later)]
  expect(figureChanges(waiting(), sent(), now)).toEqual([{ at, figures: { sent: 1 } }])
  expect(figureChanges(sent(), mined(), now)).toEqual([])
  expect(figureChanges(mined(), confirmed(), later)).toEqual([
    { at: delayed, figures: { confirmed: 1, ...beside, ...spent } },
  ])
  expect(
    figureChanges(
      confirmed(),
      finalize(confirmed(), { ...confirmed().lifecycle, witnesses: 2 }, later + periodMs),
      later + periodMs,
    ),
  ).toEqual([])
})

test('a reorganization takes back the confirmation where it was counted', () => {
  const figures = {
    confirmed: -1,
    delay_ms: now - later - 4_000,
    delay_3600: -1,
    spent: -1,
    gas: -21_000,
    gwei: -63_000,
  }
  const taken = figureChanges(confirmed(), reopen(confirmed(), 'reorganized'), later + periodMs)
  expect(taken).toEqual([{ at: periodOf(later), figures }])
})

test('a transaction that gets another nonce counts where it was sent last', () => {
  const again = { ...sent(), sentAt: later }
  expect(figureChanges(sent(), again, later)).toEqual([
    { at: periodOf(later), figures: { sent: 1 } },
    { at, figures: { sent: -1 } },
  ])
})

test('a cancellation counts from its request on, until it has lost', () => {
  const canceled = cancel(sent(), now)
  expect(figureChanges(sent(), canceled, now)).toEqual([{ at, figures: { canceled: 1 } }])
  expect(figureChanges(waiting(), cancel(waiting(), now), now)).toEqual([{ at, figures: { canceled: 1 } }])
  expect(figureChanges(waiting(), cancel(waiting(), now, 'expiry'), now)).toEqual([{ at, figures: { expired: 1 } }])
  const { cancellation } = canceled
  if (!cancellation) throw new Error('it is canceled')
  expect(figureChanges(canceled, mined(by(attempt), { cancellation }), later)).toEqual([
    { at, figures: { canceled: -1 } },
  ])
  const noOp = by(someNoOp(1))
  const won = figureChanges(mined(noOp, { cancellation }), confirmed(noOp, { cancellation }), later)
  expect(won).toEqual([{ at: periodOf(later), figures: { spent: 1, no_ops: 1, gas: 21_000, gwei: 63_000 } }])
})

test('a foreign transaction costs nothing, and a gap filler counts by its gas only', () => {
  expect(figureChanges(mined(byForeign()), confirmed(byForeign()), later)).toEqual([])
  const gap = { origin: 'gap' } as const
  expect(figureChanges(waiting(gap), sent(gap), now)).toEqual([])
  expect(figureChanges(mined(by(attempt), gap), confirmed(by(attempt), gap), later)).toEqual([
    { at: periodOf(later), figures: spent },
  ])
})

test('the gas of a no-op stays counted when its payload waits for a new nonce', () => {
  const given = { cancellation: { origin: 'refusal', requestedAt: now }, giveUps: 1 } as const
  const noOp = by(someNoOp(1))
  expect(figureChanges(confirmed(noOp, given), requeue(confirmed(noOp, given)), later)).toEqual([])
  // It was final at once.
  expect(figureChanges(mined(noOp, given), requeue(mined(noOp, given)), later)).toEqual([
    { at: periodOf(later), figures: { spent: 1, no_ops: 1, gas: 21_000, gwei: 63_000 } },
  ])
})

test('a revert counts as failed with its delay, and a refused payload at its end', () => {
  const reverted = by(attempt, 9, false)
  const [change] = figureChanges(mined(reverted), confirmed(reverted), later)
  expect(change?.figures).toMatchObject({ failed: 1, delay_3600: 1 })
  const refused = { ...waiting(), lifecycle: { phase: 'dropped', reason: 'refused', droppedAt: later } as const }
  expect(figureChanges(waiting(), refused, later)).toEqual([{ at: periodOf(later), figures: { failed: 1 } }])
})

test('absent and absurd amounts are counted and not added', () => {
  const { gasUsed: _, ...unknown } = by(attempt) as Extract<Inclusion, { by: 'attempt' }>
  const absurd = { ...unknown, gasUsed: 21_000, effectiveGasPrice: 2n ** 100n }
  for (const inclusion of [unknown, absurd]) {
    const [change] = figureChanges(mined(inclusion), confirmed(inclusion), later)
    expect(change?.figures).toMatchObject({ spent: 1, unpriced: 1 })
    expect(change?.figures).not.toHaveProperty('gas')
  }
})

test('fees below a gwei are kept exactly', () => {
  const odd = { ...by(attempt), gasUsed: 3, effectiveGasPrice: gwei + 1n } as Inclusion
  const [change] = figureChanges(mined(odd), confirmed(odd), later)
  expect(change && feesOf({ gwei: 0, wei: 0, ...change.figures })).toBe(3n * gwei + 3n)
})

test('each delay has the lowest bound that it does not exceed', () => {
  expect(delayFigures).toEqual([...delayBoundsSeconds.map((seconds) => `delay_${seconds}`), 'delay_longer'])
  const delayOf = (ms: number) => {
    const changes = figureChanges(
      mined(by(attempt), { createdAt: later - ms }),
      confirmed(by(attempt), { createdAt: later - ms }),
      later,
    )
    return Object.keys(changes[0]?.figures ?? {}).find((name) => delayFigures.some((figure) => figure === name))
  }
  expect([0, 1_000, 1_001, 3_600_000, 3_600_001].map(delayOf)).toEqual([
    'delay_1',
    'delay_1',
    'delay_2',
    'delay_3600',
    'delay_longer',
  ])
  // The clock went back.
  expect(delayOf(-5_000)).toBe('delay_1')
})
