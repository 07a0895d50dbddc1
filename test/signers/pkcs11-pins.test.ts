// What the service remembers of the logins of a token.
import { expect, test } from 'vitest'
import { newPinRecord } from '../../src/signers/pkcs11-pins.ts'

const refusal = { message: 'refused', kind: 'permanent', code: 'CKR_PIN_INCORRECT' } as const

test('a login that was answered is no reason to refuse the next one', () => {
  const record = newPinRecord()
  record.begins()
  expect(record.isUnderWay()).toBe(true)
  record.ends(undefined)
  record.breaksOff('relayers')
  expect([record.isUnderWay(), record.refusal()]).toEqual([false, undefined])
})

test('a login that nobody answered counts as refused', () => {
  const record = newPinRecord()
  record.begins()
  record.breaksOff('relayers')
  expect(record.refusal()).toMatchObject({ kind: 'permanent', code: 'LOGIN_UNANSWERED' })
})

test('a refusal stays', () => {
  const record = newPinRecord()
  record.begins()
  record.ends(refusal)
  record.ends(undefined)
  record.begins()
  record.breaksOff('relayers')
  expect(record.refusal()).toEqual(refusal)
})
