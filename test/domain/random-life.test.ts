// Random lives: whatever clients, nodes and the chain do, the recorded decisions keep nonces and payloads in order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BroadcastOutcome } from '../../src/domain/attempt.ts'
import { isInPhase, isTerminal, spenderKind, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { beginLife, type LifeEvent } from './life.ts'

const lives = 200

const anyEvent: fc.Arbitrary<LifeEvent> = fc.record({
  do: fc.constantFrom<LifeEvent['do'][]>(
    ...(['send', 'send', 'put', 'cancel', 'step', 'step', 'step'] as const),
    ...(['mine', 'mine', 'foreign', 'reorganize', 'pass'] as const),
  ),
  which: fc.nat({ max: 30 }),
  outcome: fc.constantFrom<BroadcastOutcome>(
    { kind: 'accepted' },
    { kind: 'unknown', message: 'timed out' },
    { kind: 'unsent', message: 'no connection' },
    { kind: 'rejected', code: 'invalid', message: 'no' },
  ),
})

test('nonces stay contiguous and single, room is kept, and no payload is executed twice or after its end', () => {
  const reached = {
    executed: 0,
    canceled: 0,
    lost: 0,
    expired: 0,
    dropped: 0,
    replaced: 0,
    reopened: 0,
    requeued: 0,
    /** Lives whose transactions have all ended. */
    ended: 0,
  }
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 20, maxLength: 80, size: 'max' }), (events) => {
      const life = beginLife()
      for (const event of events) life.happen(event)
      // From here on nodes take everything and blocks come, so that each transaction ends.
      life.settle()
      const all = life.transactions()
      for (const each of all) {
        for (const end of endsOf(each)) reached[end] += 1
      }
      reached.reopened += life.seen.reopened
      reached.requeued += life.seen.requeued
      expect(all.filter((each) => !isTerminal(each)).map(({ id, lifecycle }) => [id, lifecycle.phase])).toEqual([])
      reached.ended += 1
    }),
    { numRuns: lives },
  )
  expect(reached.ended).toBeGreaterThanOrEqual(lives)
  for (const [end, count] of Object.entries(reached)) expect(count, end).toBeGreaterThan(10)
})

function endsOf(
  transaction: Transaction,
): readonly ('executed' | 'canceled' | 'lost' | 'expired' | 'dropped' | 'replaced')[] {
  if (isInPhase(transaction, 'dropped')) return [statusOf(transaction) === 'expired' ? 'expired' : 'dropped']
  if (!isInPhase(transaction, 'final')) return []
  const { cancellation, lifecycle, earlier } = transaction
  if (spenderKind(lifecycle.inclusion) === 'payload') {
    if (cancellation) return ['lost']
    return earlier ? ['executed', 'replaced'] : ['executed']
  }
  return [cancellation?.origin === 'expiry' ? 'expired' : 'canceled']
}
