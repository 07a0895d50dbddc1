// What an answer says that a cancellation can still do, by the kind of pool.
import { expect, test } from 'vitest'
import type { BroadcastState } from '../../../src/domain/attempt.ts'
import type { PoolKind } from '../../../src/domain/profile.ts'
import { explainBulk, explainCancellation } from '../../../src/http/transactions/explain-cancellation.ts'
import { answered, broadcastStates, canceled, idOf, inFlight, someAttempt, someNoOp } from '../../domain/some.ts'

const rejected = {
  ...answered({ kind: 'rejected', code: 'feeTooLow', message: 'fee too low' }),
  rejections: 'all',
} as const

function explained(pool: PoolKind, broadcast: BroadcastState = broadcastStates.accepted): string {
  const attempts = [someAttempt(7, { broadcast }), someNoOp(7, { broadcast: broadcastStates.held })] as const
  return explainCancellation(inFlight(7, attempts, canceled), pool).at(-1) ?? ''
}

test('a pool that takes a higher price: a race, and a short one where the pool is a sequencer’s own', () => {
  expect(explained('public')).toMatch(
    /^a node may hold 1 of its attempts: a no-op is sent for nonce 7, at rising fees, /,
  )
  expect(explained('private')).toMatch(/at rising fees, .* in the moment before it is ordered; follow it at/)
})

test('first come, first served: ordered is lost, rejected is free, and a no-op is sent where neither is sure', () => {
  expect(explained('fcfs', broadcastStates.spent)).toMatch(/nonce is spent: .* no no-op is paid; the block .* ends the/)
  expect(explained('fcfs')).toMatch(/whether the sequencer has ordered the transaction: one no-op is sent/)
  expect(explained('fcfs', rejected)).toMatch(/rejected the transaction: it is dropped, at no cost/)
  expect(explained('fcfs', broadcastStates.unknown)).toMatch(/one no-op is sent for nonce 7 .* no price changes that/)
})

test('the answer to a bulk cancellation says the same of all that a node may have', () => {
  const result = { canceled: [idOf(1), idOf(2)], failed: [], racing: 1 }
  expect(explainBulk(result, 'public')[1]).toMatch(/^1 may be known to a node: a no-op is sent for each nonce/)
  expect(explainBulk(result, 'private')[1]).toMatch(/in the moment before it is ordered$/)
  expect(explainBulk(result, 'fcfs')[1]).toMatch(
    /one no-op is sent .* what it has ordered ends as lost, and costs nothing more/,
  )
  expect(explainBulk({ ...result, racing: 0 }, 'fcfs')).toHaveLength(1)
})

test('one transaction is named in the singular', () => {
  const one = { canceled: [idOf(1)], failed: [], racing: 0 }
  expect(explainBulk(one, 'public')).toEqual([
    '1 pending transaction canceled: 1 dropped before any node had it, at no cost',
  ])
  const two = { ...one, canceled: [idOf(1), idOf(2)] }
  expect(explainBulk(two, 'public')[0]).toMatch(/^2 pending transactions canceled: 2 dropped/)
})
