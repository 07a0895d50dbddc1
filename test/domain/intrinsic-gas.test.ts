// The least gas of a transaction, and the refusal of less. test/e2e/policies.test.ts compares it with a node.
import { describe, expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import { osakaRules } from '../../src/domain/gas-figures.ts'
import type { Hash, Hex } from '../../src/domain/ids.ts'
import {
  checkGasLimit,
  type GasRules,
  gasOfNewReceiver,
  leastGas,
  refusalOfGas,
} from '../../src/domain/intrinsic-gas.ts'
import { checkSend } from '../../src/domain/submit.ts'
import type { Payload } from '../../src/domain/transaction.ts'
import { hashOf, now, receiver, somePayload, somePolicies, someRelayer } from './some.ts'

const ethereum: GasRules = { floorGas: true, l1Fee: 'none', figures: osakaRules }
const amsterdam: GasRules = { ...ethereum, figures: { base: 12_000, floor: 64, newAccount: 183_600 } }
const rollup: GasRules = { floorGas: false, l1Fee: 'in_gas' }
const ownGas: GasRules = { floorGas: false, l1Fee: 'none' }

const accessList = [{ address: receiver, storageKeys: [hashOf(1), hashOf(2)] as Hash[] }]
const bytes = (count: number, byte: string): Hex => `0x${byte.repeat(count)}`

/** `rollup`: a lower bound, whichever rules of Ethereum its part for L2 follows. */
test.each<[string, Partial<Payload>, ethereum: number, rollup: number]>([
  ['a call', {}, 21_000, 15_000],
  ['bytes that are 0', { data: bytes(100, '00') }, 22_000, 15_400],
  ['other bytes', { data: bytes(100, 'a0') }, 25_000, 16_600],
  ['an access list', { accessList }, 27_200, 21_200],
  ['an access list above the floor of the data', { accessList, data: bytes(100, 'a0') }, 28_800, 22_800],
  ['the floor above an access list', { accessList, data: bytes(1_000, 'a0') }, 61_000, 37_200],
])('%s before Amsterdam', (_, payload, onEthereum, onRollup) => {
  const whole = { ...somePayload, value: 0n, ...payload }
  expect([leastGas(whole, ethereum), leastGas(whole, rollup)]).toEqual([onEthereum, onRollup])
  expect(leastGas(whole, ownGas)).toBe(0)
})

test('a creation: its code is paid by the word, too', () => {
  const { to: _, ...payload } = { ...somePayload, data: bytes(33, 'a0') }
  expect(leastGas(payload, ethereum)).toBe(21_000 + 32_000 + 33 * 16 + 2 * 2)
  expect(leastGas(payload, rollup)).toBe(24_000 + 33 * 16)
})

const toItself = { to: somePayload.from }
const nothing = { value: 0n }

/** Measured on geth with the rules of Osaka, and of Amsterdam (head of 20 August 2026). */
test.each<[string, Partial<Payload>, osaka: number, amsterdam: number]>([
  ['to itself', { ...toItself, ...nothing }, 21_000, 12_000],
  ['a value to itself', { ...toItself, value: 5n }, 21_000, 12_000],
  ['to another account, without value', nothing, 21_000, 15_000],
  ['a value to another account', { value: 1n }, 21_000, 21_000],
  ['2,000 bytes of 0xff to another account', { ...nothing, data: bytes(2_000, 'ff') }, 101_000, 143_000],
  ['2,000 bytes of 0x00 to another account', { ...nothing, data: bytes(2_000, '00') }, 41_000, 143_000],
  ['2,000 bytes with a value', { value: 1n, data: bytes(2_000, 'ff') }, 101_000, 149_000],
  ['a list of one address with two keys', { ...nothing, accessList }, 27_200, 15_000 + 4_180 + 2 * 4_048],
])('%s, on both sides of the fork', (_, payload, onOsaka, onAmsterdam) => {
  const whole = { ...somePayload, ...payload }
  expect([leastGas(whole, ethereum), leastGas(whole, amsterdam)]).toEqual([onOsaka, onAmsterdam])
  const short = { ...whole, gasLimit: onAmsterdam - 1 }
  expect(refusalOfGas(short, undefined, amsterdam)).toBe(
    `its gas_limit ${onAmsterdam - 1} is below its intrinsic gas, ${onAmsterdam} (by base 12000, floor 64, new_account 183600, see gas_rules of the network)`,
  )
  expect(refusalOfGas({ ...whole, gasLimit: onAmsterdam }, undefined, amsterdam)).toBeUndefined()
})

test('a creation after the fork', () => {
  const { to: _, ...payload } = { ...somePayload, data: '0x' as Hex }
  expect(leastGas(payload, amsterdam)).toBe(24_000)
})

test('each figure counts for itself: a floor of 64 with the base of before', () => {
  const mixed: GasRules = { ...ethereum, figures: { base: 21_000, floor: 64, newAccount: 0 } }
  const whole = { ...somePayload, value: 0n, data: bytes(2_000, 'ff') }
  expect(leastGas(whole, mixed)).toBe(21_000 + 128_000)
  expect(leastGas({ ...whole, data: '0x', accessList }, mixed)).toBe(27_200)
})

test('an unknown figure refuses nothing that is valid on one side of a fork', () => {
  const { figures: _, ...unknown } = ethereum
  const whole = { ...somePayload, value: 0n, data: bytes(2_000, '00') }
  expect(leastGas(whole, unknown)).toBe(15_000 + 8_000)
  expect(leastGas({ ...whole, ...toItself, data: '0x' }, unknown)).toBe(12_000)
  expect(leastGas(whole, { ...ethereum, figures: { floor: 10 } })).toBe(15_000 + 20_000)
})

test('a value to an account that does not exist pays for it, where the chain charges that', () => {
  expect(gasOfNewReceiver({ ...somePayload, value: 1n }, amsterdam)).toBe(204_600)
  expect(gasOfNewReceiver({ ...somePayload, value: 1n }, ethereum)).toBeUndefined()
  expect(gasOfNewReceiver({ ...somePayload, value: 0n }, amsterdam)).toBeUndefined()
  expect(gasOfNewReceiver({ ...somePayload, ...toItself, value: 1n }, amsterdam)).toBeUndefined()
  expect(gasOfNewReceiver({ ...somePayload, value: 1n }, { ...amsterdam, floorGas: false })).toBeUndefined()
  const { to: _, ...creation } = { ...somePayload, value: 1n }
  expect(gasOfNewReceiver(creation, amsterdam)).toBeUndefined()
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
      'gas_limit: 24999 is below the intrinsic gas of this transaction, 25000 (by base 21000, floor 10, new_account 0, see gas_rules of the network); send 25000 or more, or none to have it estimated',
    ])
  })
  test('offers no estimate where the policy forbids it', () => {
    const strict = someRelayer({ policies: { ...somePolicies, gasLimitEstimation: false } })
    const check = () =>
      checkGasLimit(strict, { ...somePayload, data, gasLimit: 22_599 }, { ...rollup, figures: { base: 21_000 } })
    expect(refusalOf(check)).toEqual([
      'GAS_LIMIT_TOO_LOW',
      'gas_limit: 22599 is below the intrinsic gas of this transaction, 22600 (by base 21000, see gas_rules of the network); send 22600 or more',
    ])
  })
  test('is part of the check of a send, where this process has the network', () => {
    const request = { ...somePayload, data, gasLimit: 24_999 }
    expect(refusalOf(() => checkSend(relayer, request, now, { pool: 'public', ...ethereum }))).toMatchObject({
      0: 'GAS_LIMIT_TOO_LOW',
    })
    expect(refusalOf(() => checkSend(relayer, request, now, { pool: 'private', ...rollup }))).toBeUndefined()
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
