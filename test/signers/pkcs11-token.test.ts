// A PKCS#11 token whose library fails in each way that the standard lists: when it is opened anew, when it waits for an operator, and
// which PIN is tried again.
import { expect, test } from 'vitest'
import type { TokenReply } from '../../src/signers/pkcs11-messages.ts'
import { newPinRecord } from '../../src/signers/pkcs11-pins.ts'
import { TokenFailure, type TokenModule } from '../../src/signers/pkcs11-session.ts'
import { newToken, replyTo } from '../../src/signers/pkcs11-token.ts'
import { fakeCryptoki } from '../../tooling/key-services/fake-cryptoki.ts'
import { servedKey } from '../../tooling/key-services/served-key.ts'

const key = servedKey()
const [tokenLabel, pin, keyLabel] = ['relayers', '246802', 'payouts']
const [ecParameters, ecPoint] = [0x180, 0x181]
const digest = `0x${'12'.repeat(32)}` as const
const signed = { id: 2, keyId: '01', bytes: `0x${'12'.repeat(64)}` }

function start() {
  const fake = fakeCryptoki(key, tokenLabel)
  const module: TokenModule = {
    ...{ path: '/lib/vendor.so', newLibrary: fake.newLibrary },
    ...{ tokens: new Set(), isInitialized: false },
  }
  const add = (label: string) => {
    const record = newPinRecord()
    const token = newToken(module, label, {
      async pin() {
        const refused = record.refusal()
        if (refused) throw new TokenFailure(refused.message, refused.kind, refused.code)
        return pin
      },
      ended: record.ends,
    })
    const named = { token: 0, tokenLabel: label, keyLabel }
    const begins = () => undefined
    return {
      open: () => replyTo(token, { id: 1, operation: 'open', ...named }, begins),
      sign: () => replyTo(token, { id: 2, operation: 'sign', digest, ...named }, begins),
    }
  }
  const count = (call: (typeof fake.calls)[number]) => fake.calls.filter((each) => each === call).length
  return { fake, add, count, ...add(tokenLabel) }
}

const failureOf = (reply: TokenReply) => ('failure' in reply ? reply.failure : undefined)

test('one session and one login serve all signatures', async () => {
  const { count, open, sign } = start()
  expect(await open()).toEqual({ id: 1, keyId: '01', bytes: key.publicKey })
  expect([await sign(), await sign()]).toEqual([signed, signed])
  expect([count('C_OpenSession'), count('C_Login')]).toEqual([1, 1])
})

test.each([
  ...['CKR_DEVICE_ERROR', 'CKR_DEVICE_MEMORY', 'CKR_DEVICE_REMOVED', 'CKR_TOKEN_NOT_PRESENT'],
  ...['CKR_TOKEN_NOT_RECOGNIZED', 'CKR_SESSION_CLOSED', 'CKR_SESSION_HANDLE_INVALID', 'CKR_SESSION_COUNT'],
  ...['CKR_USER_NOT_LOGGED_IN', 'CKR_OPERATION_NOT_INITIALIZED', 'CKR_OPERATION_ACTIVE', 'CKR_KEY_HANDLE_INVALID'],
  ...['CKR_OBJECT_HANDLE_INVALID', 'CKR_CRYPTOKI_NOT_INITIALIZED', 'CKR_GENERAL_ERROR', 'CKR_FUNCTION_FAILED'],
  ...['CKR_FUNCTION_CANCELED', 'CKR_HOST_MEMORY', 'CKR_VENDOR_DEFINED'],
])('%s while it signs is transient, and the next try logs in anew', async (code) => {
  for (const call of ['C_SignInit', 'C_SignAsync'] as const) {
    const { fake, count, open, sign } = start()
    await open()
    fake.failNext(call, code)
    expect(failureOf(await sign())).toMatchObject({ kind: 'transient', code })
    expect(await sign()).toEqual(signed)
    const calls = ['C_OpenSession', 'C_Login'] as const
    expect(calls.map(count)).toEqual([2, 2])
    // A library that another part of the process ended is initialized anew; otherwise the login is enough.
    const isEnded = code === 'CKR_CRYPTOKI_NOT_INITIALIZED'
    expect([count('C_Logout'), count('C_CloseSession'), count('C_Finalize')]).toEqual(isEnded ? [0, 0, 1] : [1, 1, 0])
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
] as const)('%s: %s while it opens is transient, also at the first start', async (call, code) => {
  const { fake, count, open, sign } = start()
  fake.failNext(call, code)
  expect(failureOf(await open())).toMatchObject({ kind: 'transient', code })
  expect(await sign()).toEqual(signed)
  // Each session that was opened and is not used any more was closed.
  expect(count('C_CloseSession')).toBe(count('C_OpenSession') - (call === 'C_OpenSession' ? 2 : 1))
})

test('a device that was removed is found when it is back, and is a wrong label if it never was there', async () => {
  const { fake, open, sign } = start()
  await open()
  fake.slots = []
  fake.failNext('C_SignInit', 'CKR_DEVICE_REMOVED')
  expect(failureOf(await sign())).toMatchObject({ kind: 'transient', code: 'CKR_DEVICE_REMOVED' })
  expect(failureOf(await sign())).toMatchObject({ kind: 'transient', code: 'TOKEN_NOT_FOUND' })
  fake.slots = [tokenLabel]
  expect(await sign()).toEqual(signed)

  const other = start()
  other.fake.slots = ['another']
  expect(failureOf(await other.open())).toMatchObject({ kind: 'permanent', code: 'TOKEN_NOT_FOUND' })
})

test('the failing token of another slot does not matter', async () => {
  const { fake, open } = start()
  fake.slots = ['another', tokenLabel]
  fake.failNext('C_GetTokenInfo', 'CKR_TOKEN_NOT_RECOGNIZED')
  expect(await open()).toMatchObject({ bytes: key.publicKey })
})

test('a library that another thread initialized, and a login that another thread made, are used', async () => {
  const { fake, open, sign } = start()
  fake.failNext('C_Initialize', 'CKR_CRYPTOKI_ALREADY_INITIALIZED')
  fake.failNext('C_Login', 'CKR_USER_ALREADY_LOGGED_IN')
  await open()
  expect(await sign()).toEqual(signed)
})

test.each([
  ...['CKR_ARGUMENTS_BAD', 'CKR_FUNCTION_NOT_SUPPORTED', 'CKR_KEY_FUNCTION_NOT_PERMITTED', 'CKR_KEY_SIZE_RANGE'],
  ...['CKR_KEY_TYPE_INCONSISTENT', 'CKR_MECHANISM_INVALID', 'CKR_MECHANISM_PARAM_INVALID', 'CKR_DATA_LEN_RANGE'],
  'CKR_CURVE_NOT_SUPPORTED',
])('%s is for the operator, and keeps the session', async (code) => {
  const { fake, count, open, sign } = start()
  await open()
  fake.failNext('C_SignInit', code)
  expect(failureOf(await sign())).toMatchObject({ kind: 'permanent', code })
  await sign()
  expect([count('C_OpenSession'), count('C_Login')]).toEqual([1, 1])
})

test.each(['CKR_CANT_LOCK', 'CKR_NEED_TO_CREATE_THREADS'])('%s at the first call is for the operator', async (code) => {
  const { fake, open } = start()
  fake.failNext('C_Initialize', code)
  expect(failureOf(await open())).toMatchObject({ kind: 'permanent', code })
})

test.each([
  ...['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'],
  ...['CKR_PIN_TOO_WEAK', 'CKR_USER_PIN_NOT_INITIALIZED'],
])('%s: the PIN is tried once, whatever fails beside it', async (code) => {
  const { fake, count, open, sign } = start()
  fake.failNext('C_Login', code)
  fake.failNext('C_CloseSession', 'CKR_DEVICE_REMOVED')
  const fix = 'correct the PIN and restart; it is not tried again, so that the token does not lock'
  const message = `the token "relayers" refuses the PIN (${code}); ${fix}`
  expect(failureOf(await open())).toEqual({ kind: 'permanent', code, message })
  for (const reply of [await open(), await sign()])
    expect(failureOf(reply)).toEqual({ kind: 'permanent', code, message })
  expect(count('C_Login')).toBe(1)
})

test('a PIN that was right and is changed while the service runs is tried once more', async () => {
  const { fake, count, open, sign } = start()
  await open()
  fake.failNext('C_SignAsync', 'CKR_USER_NOT_LOGGED_IN')
  fake.failNext('C_Login', 'CKR_PIN_INCORRECT')
  expect(failureOf(await sign())).toMatchObject({ kind: 'transient', code: 'CKR_USER_NOT_LOGGED_IN' })
  for (const reply of [await sign(), await sign(), await sign()])
    expect(failureOf(reply)).toMatchObject({ code: 'CKR_PIN_INCORRECT' })
  expect(count('C_Login')).toBe(2)
})

test('no PIN is tried where one more failure would lock the token', async () => {
  const { fake, count, open } = start()
  fake.flags = 0x2_0000
  for (const reply of [await open(), await open()]) {
    expect(failureOf(reply)).toMatchObject({ kind: 'permanent', code: 'PIN_FINAL_TRY' })
  }
  expect(count('C_Login')).toBe(0)
})

test('a private object without CKA_EC_PARAMS: the public one shows the curve, or else its point', async () => {
  const { fake, open } = start()
  delete fake.objects.private[ecParameters]
  expect(await open()).toMatchObject({ bytes: key.publicKey })
  const other = start()
  for (const object of [other.fake.objects.private, other.fake.objects.public]) delete object[ecParameters]
  expect(await other.open()).toMatchObject({ bytes: key.publicKey })
})

test.each(['private', 'public'] as const)('another curve in the %s object is for the operator', async (object) => {
  const { fake, open } = start()
  delete fake.objects.private[ecParameters]
  fake.objects[object][ecParameters] = Buffer.from('06082a8648ce3d030107', 'hex')
  expect(failureOf(await open())).toMatchObject({ kind: 'permanent', code: 'WRONG_CURVE' })
})

const full = key.publicKey.slice(2)
const compressed = `${Number.parseInt(full.slice(-1), 16) % 2 === 0 ? '02' : '03'}${full.slice(2, 66)}`

test.each([
  ['an OCTET STRING', `0441${full}`],
  ['a compressed one within an OCTET STRING', `0421${compressed}`],
  ['a BIT STRING', `034200${full}`],
  ['a compressed one within a BIT STRING', `032200${compressed}`],
  ['the point itself', full],
  ['the compressed point itself', compressed],
])('a public key is %s', async (_, point) => {
  const { fake, open } = start()
  fake.objects.public[ecPoint] = Buffer.from(point, 'hex')
  expect(await open()).toMatchObject({ bytes: key.publicKey })
})

test('bytes that are no point of the curve are no public key', async () => {
  const { fake, open } = start()
  fake.objects.public[ecPoint] = Buffer.from(`0441${full.slice(0, -2)}00`, 'hex')
  expect(failureOf(await open())).toMatchObject({ kind: 'permanent', code: 'INVALID_PUBLIC_KEY' })
})

test('a session that stays dead: first the login ends, then the library, with no call under way', async () => {
  const { fake, count, open, sign } = start()
  await open()
  fake.failNext('C_SignAsync', 'CKR_DEVICE_ERROR')
  fake.failNext('C_SignInit', 'CKR_DEVICE_ERROR')
  expect(failureOf(await sign())).toMatchObject({ code: 'CKR_DEVICE_ERROR' })
  expect(failureOf(await sign())).toMatchObject({ code: 'CKR_DEVICE_ERROR' })
  expect(await sign()).toEqual(signed)
  expect(fake.calls.filter((call) => /Logout|Finalize/.test(call))).toEqual(['C_Logout', 'C_Finalize'])
  expect([count('C_Logout'), count('C_Finalize'), count('C_Initialize')]).toEqual([1, 1, 2])
})

test('a library whose other token signs is ended at the second failure, and at every fourth after it', async () => {
  const { fake, count, add, open, sign } = start()
  const other = add('other')
  fake.slots = [tokenLabel, 'other']
  await open()
  await other.open()
  for (let times = 0; times < 5; times += 1) {
    fake.failNext('C_SignInit', 'CKR_DEVICE_ERROR')
    await sign()
    expect(await other.sign()).toEqual(signed)
  }
  expect(count('C_Finalize')).toBe(1)
})

test('a token with fewer sessions than signatures serves all of them', async () => {
  const { fake, count, open, sign } = start()
  await open()
  const first = sign()
  fake.failNext('C_OpenSession', 'CKR_SESSION_COUNT')
  expect(await Promise.all([first, sign()])).toEqual([signed, signed])
  expect(count('C_OpenSession')).toBe(2)
})
