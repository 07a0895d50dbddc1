// The exit codes of verdicts and of transactions that have ended.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { paintStatus, parseAmount } from '../../src/cli/format.ts'
import { amounts, prices } from '../../src/cli/policies.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { exitOf, exitOfEnd, explain, hasEnded, stateOf } from '../../src/cli/verdict.ts'
import type { CancellationView, TransactionView } from '../../src/client/client.ts'
import { policyTable } from '../../src/domain/policy-table.ts'

const verdict = (state: CancellationView['state'], final: boolean): CancellationView => ({
  ...{ transaction_id: 'x', state, final, safe_to_retry: false, origin: 'request', requested_at: '' },
})
const transaction = (status: TransactionView['status'], confirmedAt?: string): TransactionView => ({
  ...{ id: 'x', relayer_id: 'one', status, created_at: '', from: '0x', value: '0', data: '0x' },
  ...(confirmedAt !== undefined && { confirmed_at: confirmedAt }),
})

test.each([
  ['dropped', true, 0],
  ['won', true, 0],
  ['won', false, 5],
  ['racing', false, 5],
  ['lost', false, 5],
  ['lost', true, 4],
  ['external', true, 4],
] as const)('%s, final: %s, ends with %i', (state, final, exit) => {
  expect(exitOf(verdict(state, final))).toBe(exit)
  expect(explain(verdict(state, final))).toMatch(new RegExp(`^${state}: .*`))
  expect(hasEnded(transaction('canceled'), verdict(state, final))).toBe(final)
})

test('a canceled transaction is not green: its status says nothing of the race', () => {
  const written = { write: () => true, isTTY: true }
  const life = { env: {}, directory: '', stop: new AbortController().signal, stdin: new PassThrough() }
  const terminal = openTerminal({ ...life, stdout: written, stderr: new PassThrough() })
  expect(paintStatus(terminal, 'canceled')).not.toContain('\x1b[32m')
  expect(paintStatus(terminal, 'confirmed')).toContain('\x1b[32m')
})

test('in a list, nothing that is open is green', () => {
  expect(stateOf({ transaction: transaction('canceled'), cancellation: verdict('won', true) }).color).toBe('green')
  for (const state of ['racing', 'won', 'lost', 'external'] as const) {
    expect(stateOf({ transaction: transaction('confirmed'), cancellation: verdict(state, false) }).color).toBe('yellow')
  }
  expect(stateOf({ transaction: transaction('confirmed') })).toEqual({ word: 'confirmed', color: 'green' })
})

test('a transaction that nobody canceled ends with 0 only if it is confirmed', () => {
  expect(exitOfEnd(transaction('confirmed'), undefined)).toBe(0)
  expect(() => exitOfEnd(transaction('failed'), undefined)).toThrow(expect.objectContaining({ exit: 1 }))
  expect(() => exitOfEnd(transaction('mined', 'now'), undefined)).toThrow(expect.objectContaining({ exit: 5 }))
  expect(() => exitOfEnd(transaction('confirmed'), verdict('lost', true))).toThrow(expect.objectContaining({ exit: 4 }))
  expect(hasEnded(transaction('mined'), undefined)).toBe(false)
  expect(hasEnded(transaction('mined', 'now'), undefined)).toBe(true)
})

test.each([
  ['1', '1'],
  ['1.5gwei', '1500000000'],
  ['0.000000000000000001ether', '1'],
  ['2 ether', '2000000000000000000'],
])('%s is %s wei', (text, wei) => {
  expect(parseAmount('--value', text)).toBe(wei)
})

test.each(['', '-1', '0x10', '1e18', '1.5', '1.5wei', '0.0000000000000000001ether', '1 eth'])(
  '%j is no amount',
  (text) => {
    expect(() => parseAmount('--value', text)).toThrow(expect.objectContaining({ exit: 2 }))
  },
)

test('every policy of wei is shown as an amount or as a price', () => {
  const ofWei = Object.values(policyTable).flatMap(({ kind, name }) => (kind === 'wei' ? [name] : []))
  expect([...amounts, ...prices].sort()).toEqual(ofWei.sort())
})
