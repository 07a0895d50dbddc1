// A PKCS#11 token whose library fails in each way that the standard lists: what is opened anew, what waits for an operator, and
// which PIN is tried again.
import { expect, test } from 'vitest'
import type { TokenReply } from '../../src/signers/pkcs11.ts'
import { forget } from '../../src/signers/pkcs11-session.ts'
import { newToken, replyTo } from '../../src/signers/pkcs11-token.ts'
import { fakeCryptoki } from '../../tooling/key-services/fake-cryptoki.ts'
import { servedKey } from '../../tooling/key-services/served-key.ts'

const key = servedKey()
const settings = { module: '/lib/vendor.so', tokenLabel: 'relayers', pin: '246802' }
const digest = `0x${'12'.repeat(32)}` as const
const signed = { id: 2, keyId: '01', bytes: `0x${'12'.repeat(64)}` }

function start() {
  const fake = fakeCryptoki(key, settings.tokenLabel)
  const token = newToken(settings, fake.newLibrary)
  const count = (call: (typeof fake.calls)[number]) => fake.calls.filter((each) => each === call).length
  const open = () => replyTo(token, { id: 1, operation: 'open', keyLabel: 'payouts' })
  const sign = () => replyTo(token, { id: 2, operation: 'sign', keyLabel: 'payouts', digest })
  return { fake, token, count, open, sign }
}

const failureOf = (reply: TokenReply) => ('failure' in reply ? reply.failure : undefined)

test('one session and one login serve all signatures', () => {
  const { count, open, sign } = start()
  expect(open()).toEqual({ id: 1, keyId: '01', bytes: key.publicKey })
  expect([sign(), sign()]).toEqual([signed, signed])
  expect([count('C_OpenSession'), count('C_Login')]).toEqual([1, 1])
})

test.each([
  ...['CKR_DEVICE_ERROR', 'CKR_DEVICE_MEMORY', 'CKR_DEVICE_REMOVED', 'CKR_TOKEN_NOT_PRESENT'],
  ...['CKR_TOKEN_NOT_RECOGNIZED', 'CKR_SESSION_CLOSED', 'CKR_SESSION_HANDLE_INVALID', 'CKR_SESSION_COUNT'],
  ...['CKR_USER_NOT_LOGGED_IN', 'CKR_OPERATION_NOT_INITIALIZED', 'CKR_OPERATION_ACTIVE', 'CKR_KEY_HANDLE_INVALID'],
  ...['CKR_OBJECT_HANDLE_INVALID', 'CKR_CRYPTOKI_NOT_INITIALIZED', 'CKR_GENERAL_ERROR', 'CKR_FUNCTION_FAILED'],
  ...['CKR_FUNCTION_CANCELED', 'CKR_HOST_MEMORY', 'CKR_VENDOR_DEFINED'],
])('%s while it signs is transient, and the next try logs in anew', (code) => {
  for (const call of ['C_SignInit', 'C_Sign'] as const) {
    const { fake, count, open, sign } = start()
    open()
    fake.failNext(call, code)
    expect(failureOf(sign())).toMatchObject({ kind: 'transient', code })
    expect(sign()).toEqual(signed)
    expect([count('C_OpenSession'), count('C_CloseSession'), count('C_Login'), count('C_Initialize')]).toEqual([
      2, 1, 2, 2,
    ])
  }
})

test.each([
  ['C_Initialize', 'CKR_GENERAL_ERROR'],
  ['C_GetSlotList', 'CKR_DEVICE_ERROR'],
  ['C_GetTokenInfo', 'CKR_DEVICE_REMOVED'],
  ['C_OpenSession', 'CKR_SESSION_COUNT'],
  ['C_Login', 'CKR_DEVICE_ERROR'],
  ['C_Login', 'CKR_USER_ANOTHER_ALREADY_LOGGED_IN'],
  ['C_FindObjects', 'CKR_SESSION_CLOSED'],
  ['C_GetAttributeValue', 'CKR_DEVICE_REMOVED'],
] as const)('%s: %s while it opens is transient, also at the first start', (call, code) => {
  const { fake, count, open, sign } = start()
  fake.failNext(call, code)
  expect(failureOf(open())).toMatchObject({ kind: 'transient', code })
  expect(sign()).toEqual(signed)
  // Each session that was opened and is not used any more was closed.
  expect(count('C_CloseSession')).toBe(count('C_OpenSession') - (call === 'C_OpenSession' ? 2 : 1))
})

test('a device that was removed is found when it is back, and is a wrong label if it never was there', () => {
  const { fake, open, sign } = start()
  open()
  fake.slots = []
  fake.failNext('C_SignInit', 'CKR_DEVICE_REMOVED')
  expect(failureOf(sign())).toMatchObject({ kind: 'transient', code: 'CKR_DEVICE_REMOVED' })
  expect(failureOf(sign())).toMatchObject({ kind: 'transient', code: 'TOKEN_NOT_FOUND' })
  fake.slots = [settings.tokenLabel]
  expect(sign()).toEqual(signed)

  const other = start()
  other.fake.slots = ['another']
  expect(failureOf(other.open())).toMatchObject({ kind: 'permanent', code: 'TOKEN_NOT_FOUND' })
})

test('the failing token of another slot does not matter', () => {
  const { fake, open } = start()
  fake.slots = ['another', settings.tokenLabel]
  fake.failNext('C_GetTokenInfo', 'CKR_TOKEN_NOT_RECOGNIZED')
  expect(open()).toMatchObject({ bytes: key.publicKey })
})

test('a library that another thread initialized, and a login that another thread made, are used', () => {
  const { fake, open, sign } = start()
  fake.failNext('C_Initialize', 'CKR_CRYPTOKI_ALREADY_INITIALIZED')
  fake.failNext('C_Login', 'CKR_USER_ALREADY_LOGGED_IN')
  open()
  expect(sign()).toEqual(signed)
})

test.each([
  ...['CKR_ARGUMENTS_BAD', 'CKR_FUNCTION_NOT_SUPPORTED', 'CKR_KEY_FUNCTION_NOT_PERMITTED', 'CKR_KEY_SIZE_RANGE'],
  ...['CKR_KEY_TYPE_INCONSISTENT', 'CKR_MECHANISM_INVALID', 'CKR_MECHANISM_PARAM_INVALID', 'CKR_DATA_LEN_RANGE'],
  'CKR_CURVE_NOT_SUPPORTED',
])('%s is for the operator, and keeps the session', (code) => {
  const { fake, count, open, sign } = start()
  open()
  fake.failNext('C_SignInit', code)
  expect(failureOf(sign())).toMatchObject({ kind: 'permanent', code })
  sign()
  expect([count('C_OpenSession'), count('C_Login')]).toEqual([1, 1])
})

test.each(['CKR_CANT_LOCK', 'CKR_NEED_TO_CREATE_THREADS'])('%s at the first call is for the operator', (code) => {
  const { fake, open } = start()
  fake.failNext('C_Initialize', code)
  expect(failureOf(open())).toMatchObject({ kind: 'permanent', code })
})

test.each([
  ...['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'],
  ...['CKR_PIN_TOO_WEAK', 'CKR_USER_PIN_NOT_INITIALIZED'],
])('%s: the PIN is tried once, whatever fails beside it', (code) => {
  const { fake, token, count, open, sign } = start()
  fake.failNext('C_Login', code)
  fake.failNext('C_CloseSession', 'CKR_DEVICE_REMOVED')
  const fix = 'correct the PIN and restart; it is not tried again, so that the token does not lock'
  const message = `the token "relayers" refuses the PIN (${code}); ${fix}`
  expect(failureOf(open())).toEqual({ kind: 'permanent', code, message })
  forget(token)
  for (const reply of [open(), sign()]) expect(failureOf(reply)).toEqual({ kind: 'permanent', code, message })
  expect(count('C_Login')).toBe(1)
})

test('a PIN that was right and is changed while the service runs is tried once more', () => {
  const { fake, count, open, sign } = start()
  open()
  fake.failNext('C_Sign', 'CKR_USER_NOT_LOGGED_IN')
  fake.failNext('C_Login', 'CKR_PIN_INCORRECT')
  expect(failureOf(sign())).toMatchObject({ kind: 'transient', code: 'CKR_USER_NOT_LOGGED_IN' })
  for (const reply of [sign(), sign(), sign()]) expect(failureOf(reply)).toMatchObject({ code: 'CKR_PIN_INCORRECT' })
  expect(count('C_Login')).toBe(2)
})

test('no PIN is tried where one more failure would lock the token', () => {
  const { fake, count, open } = start()
  fake.flags = 0x2_0000
  for (const reply of [open(), open()]) {
    expect(failureOf(reply)).toMatchObject({ kind: 'permanent', code: 'PIN_FINAL_TRY' })
  }
  expect(count('C_Login')).toBe(0)
})
