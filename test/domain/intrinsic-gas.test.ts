// The least gas of a transaction, and the refusal of less. test/e2e/policies.test.ts compares it with a node.
import { describe, expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import type { Hash, Hex } from '../../src/domain/ids.ts'
import { checkGasLimit, type GasRules, leastGas } from '../../src/domain/intrinsic-gas.ts'
import { checkSend } from '../../src/domain/submit.ts'
import type { Payload } from '../../src/domain/transaction.ts'
import { hashOf, now, receiver, somePayload, somePolicies, someRelayer } from './some.ts'

const ethereum: GasRules = { floorGas: true, l1Fee: 'none' }
const rollup: GasRules = { floorGas: false, l1Fee: 'in_gas' }
const ownGas: GasRules = { floorGas: false, l1Fee: 'none' }

const accessList = [{ address: receiver, storageKeys: [hashOf(1), hashOf(2)] as Hash[] }]
const bytes = (count: number, byte: string): Hex => `0x${byte.repeat(count)}`

test.each<[string, Partial<Payload>, ethereum: number, rollup: number]>([
  ['a transfer', {}, 21_000, 21_000],
  ['bytes that are 0', { data: bytes(100, '00') }, 22_000, 21_400],
  ['other bytes', { data: bytes(100, 'a0') }, 25_000, 22_600],
  ['an access list', { accessList }, 27_200, 27_200],
  ['an access list above the floor of the data', { accessList, data: bytes(100, 'a0') }, 28_800, 28_800],
  ['the floor above an access list', { accessList, data: bytes(1_000, 'a0') }, 61_000, 43_200],
])('%s', (_, payload, onEthereum, onRollup) => {
  const whole = { ...somePayload, ...payload }
  expect([leastGas(whole, ethereum), leastGas(whole, rollup)]).toEqual([onEthereum, onRollup])
  expect(leastGas(whole, ownGas)).toBe(0)
})

test('a creation: its code is paid by the word, too', () => {
  const { to: _, ...payload } = { ...somePayload, data: bytes(33, 'a0') }
  expect(leastGas(payload, ethereum)).toBe(21_000 + 32_000 + 33 * 16 + 2 * 2)
  expect(leastGas(payload, rollup)).toBe(21_000 + 32_000 + 33 * 16)
})

describe('the refusal', () => {
  const relayer = someRelayer()
  const data = bytes(100, 'a0')
  const refusalOf = (run: () => void) => {
    try {
      run()
    } catch (error) {
      return error instanceof RescindError ? [error.code, error.message] : error
    }
    return undefined
  }

  test('names the field, both figures, the rule and the fix', () => {
    const check = () => checkGasLimit(relayer, { ...somePayload, data, gasLimit: 24_999 }, ethereum)
    expect(refusalOf(check)).toEqual([
      'GAS_LIMIT_TOO_LOW',
      'gas_limit: 24999 is below the intrinsic gas of this transaction, 25000 (by EIP-7623, as floor_gas of the network is true); send 25000 or more, or none to have it estimated',
    ])
  })
  test('offers no estimate where the policy forbids it', () => {
    const strict = someRelayer({ policies: { ...somePolicies, gasLimitEstimation: false } })
    const check = () => checkGasLimit(strict, { ...somePayload, data, gasLimit: 22_599 }, rollup)
    expect(refusalOf(check)).toEqual([
      'GAS_LIMIT_TOO_LOW',
      'gas_limit: 22599 is below the intrinsic gas of this transaction, 22600; send 22600 or more',
    ])
  })
  test('is part of the check of a send, where the network is known here', () => {
    const request = { ...somePayload, data, gasLimit: 24_999 }
    expect(refusalOf(() => checkSend(relayer, request, now, ethereum))).toMatchObject({ 0: 'GAS_LIMIT_TOO_LOW' })
    expect(refusalOf(() => checkSend(relayer, request, now, rollup))).toBeUndefined()
    expect(refusalOf(() => checkSend(relayer, request, now, undefined))).toBeUndefined()
  })
  test.each([
    ['enough', 25_000],
    ['none', undefined],
  ])('is not of %s', (_, gasLimit) => {
    const { gasLimit: __, ...payload } = { ...somePayload, data }
    expect(refusalOf(() => checkGasLimit(relayer, { ...payload, ...(gasLimit && { gasLimit }) }, ethereum))).toBe(
      undefined,
    )
  })
})
