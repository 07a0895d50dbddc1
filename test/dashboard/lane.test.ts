// The lane's data: which attempts stand before the first block shown, which no pool should hold, and what gas cost.
import { expect, test } from 'vitest'
import type { TraceView } from '../../src/client/dashboard-types.ts'
import { feeOf, laneOf } from '../../src/dashboard/state/lane.ts'

type Attempt = TraceView['attempts'][number]

const attemptAt = (block: number, more: Partial<Attempt> = {}): Attempt => ({
  hash: `0x${block}`,
  kind: 'execute',
  nonce: 7,
  gas_limit: 21_000,
  max_fee_per_gas: '46767000000',
  state: 'handed',
  recorded_at: '2026-01-02T03:04:05Z',
  recorded_at_block: block,
  ...more,
})

function traceOf(nonce: number, attempts: readonly Attempt[], inclusion?: TraceView['inclusion']): TraceView {
  const transaction = { id: `t${nonce}`, relayer_id: 'r', status: 'submitted', nonce, value: '0', data: '0x' } as const
  return {
    transaction: { ...transaction, created_at: '2026-01-02T03:04:05Z', from: '0x0' },
    origin: 'client',
    final: false,
    ...(inclusion && { inclusion }),
    attempts,
  }
}

test('attempts before the first block shown are marked as earlier', () => {
  const mined = { spender: 'payload', hash: '0x4', block_number: 5 } as const
  const { first, hasEarlier, rows } = laneOf([traceOf(6, [attemptAt(4)], mined), traceOf(7, [attemptAt(30)])])
  expect([first, hasEarlier, rows[0]?.begin]).toEqual([18, true, 4])
  expect(laneOf([traceOf(7, [attemptAt(30), attemptAt(31)])])).toMatchObject({ first: 30, hasEarlier: false })
})

test('an attempt that every node rejected each time is out; one that a node accepted before is not', () => {
  const outcome = { kind: 'rejected', code: 'feeTooLow', message: 'fee too low', at: '2026-01-02T03:04:05Z' } as const
  const { rows } = laneOf([traceOf(7, [attemptAt(30, { outcome, always_rejected: true }), attemptAt(31, { outcome })])])
  expect(rows[0]?.marks.map(({ isOut }) => isOut)).toEqual([true, false])
})

test('a fee is a maximum until a block took it', () => {
  const mined = { spender: 'payload', hash: '0x30', block_number: 31, effective_gas_price: '25000000001' } as const
  const { rows } = laneOf([traceOf(6, [attemptAt(30)], mined), traceOf(7, [attemptAt(30)])])
  expect(rows.map(feeOf)).toEqual([
    ['paid', 25_000_000_001n],
    ['at most', 46_767_000_000n],
  ])
})
