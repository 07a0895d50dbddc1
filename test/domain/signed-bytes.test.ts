// The size of a signed payload before it is signed: never below the bytes that a signer makes of it, and hardly above them.
import fc from 'fast-check'
import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import type { Fees } from '../../src/domain/fees.ts'
import type { Hex } from '../../src/domain/ids.ts'
import { checkSend, type SendRules, signedBytesMax } from '../../src/domain/submit.ts'
import type { Payload } from '../../src/domain/transaction.ts'
import { anyPayload } from './any.ts'
import { now, receiver, somePayload, someRelayer } from './some.ts'

const signature = { r: `0x${'ff'.repeat(32)}`, s: `0x${'7f'.repeat(32)}` } as const

/** With the largest chain id, nonce and gas that the service signs, and prices of 2^96 where the service chooses them. */
function signed({ to, value, data, pricing, accessList }: Payload): Hex {
  const fees: Fees =
    pricing.kind === 'speed'
      ? { kind: 'eip1559', maxFeePerGas: 2n ** 96n - 1n, maxPriorityFeePerGas: 2n ** 96n - 1n }
      : pricing
  const common = {
    ...{ chainId: Number.MAX_SAFE_INTEGER, nonce: Number.MAX_SAFE_INTEGER, gas: 2n ** 53n, to: to ?? null },
    ...{ value, data },
  }
  if (fees.kind === 'eip1559') {
    // viem refuses prices that make no sense, and only their size counts here.
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const [tip, cap] = [maxFeePerGas, maxPriorityFeePerGas].sort((one, other) => (one < other ? -1 : 1))
    const priced = { maxFeePerGas: cap as bigint, maxPriorityFeePerGas: tip as bigint }
    return serializeTransaction(
      { ...common, type: 'eip1559', ...priced, accessList: accessList ?? [] },
      { ...signature, yParity: 1 },
    )
  }
  const { gasPrice } = fees
  return accessList
    ? serializeTransaction({ ...common, type: 'eip2930', gasPrice, accessList }, { ...signature, yParity: 1 })
    : serializeTransaction({ ...common, type: 'legacy', gasPrice }, { ...signature, v: 2n ** 54n })
}

test('any payload', () => {
  fc.assert(
    fc.property(anyPayload, (payload) => {
      const bytes = (signed(payload).length - 2) / 2
      const estimated = signedBytesMax(payload)
      expect(estimated).toBeGreaterThanOrEqual(bytes)
      const entries = payload.accessList?.length ?? 0
      expect(estimated - bytes).toBeLessThan(128 + 8 * entries)
    }),
  )
})

const data = (bytes: number): Hex => `0x${'ab'.repeat(bytes)}`
const refusalOf = (payload: Payload, rules: SendRules | undefined) => {
  try {
    checkSend(someRelayer(), payload, now, rules)
  } catch (error) {
    return error instanceof RescindError ? [error.code, error.message] : error
  }
  return undefined
}

test('what pools take is accepted to the last bytes, and more is refused with both figures and the fix', () => {
  const most = 128 * 1024
  const rest = signedBytesMax({ ...somePayload, data: '0x' })
  expect(rest).toBeLessThan(256)
  const rules = { pool: 'public', floorGas: false, l1Fee: 'none' } as const
  expect(refusalOf({ ...somePayload, data: data(most - rest) }, rules)).toBeUndefined()
  expect(refusalOf({ ...somePayload, data: data(most - rest + 1) }, rules)).toEqual([
    'INVALID_REQUEST',
    'data: makes a signed transaction of 131073 bytes, with its access_list, and pools accept at most 131072 (max_transaction_bytes of the network); send less, or in parts',
  ])
  // A replica that does not have the network yet refuses it, too.
  expect(refusalOf({ ...somePayload, data: data(most) }, undefined)).toMatchObject({ 0: 'INVALID_REQUEST' })
})

test('a network with another limit, and an access list counts', () => {
  const rules = { pool: 'public', floorGas: false, l1Fee: 'none', maxTransactionBytes: 2_000 } as const
  expect(refusalOf({ ...somePayload, data: data(1_500) }, rules)).toBeUndefined()
  expect(refusalOf({ ...somePayload, data: data(2_000) }, rules)).toMatchObject({ 0: 'INVALID_REQUEST' })
  const storageKeys = Array.from({ length: 60 }, () => `0x${'ab'.repeat(32)}` as const)
  const accessList = [{ address: receiver, storageKeys }]
  expect(refusalOf({ ...somePayload, accessList }, rules)).toMatchObject({ 0: 'INVALID_REQUEST' })
})
