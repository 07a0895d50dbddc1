// A vendor's PKCS#11 library as a program sees it, for the failures that SoftHSM never has: devices that go away, tokens that lock.
import type { CryptokiLibrary } from '../../src/signers/pkcs11-session.ts'
import type { ServedKey } from './served-key.ts'

type Call = keyof CryptokiLibrary

export interface FakeCryptoki {
  /** As `new PKCS11()` of pkcs11js. */
  readonly newLibrary: () => CryptokiLibrary
  /** Of all libraries, in their order. */
  readonly calls: readonly Call[]
  /** The next calls of this function fail, one by each code, such as CKR_DEVICE_ERROR. */
  failNext(call: Call, ...codes: readonly string[]): void
  /** The labels of the tokens in its slots. */
  slots: readonly string[]
  /** Of C_GetTokenInfo. */
  flags: number
}

const parameters = Buffer.from('06052b8104000a', 'hex')
/** CKA_ID, CKA_EC_PARAMS, CKA_EC_POINT. */
const [id, ecParameters, ecPoint] = [0x102, 0x180, 0x181]

/** It has one pair of keys. A signature is not right: it is the digest twice. */
export function fakeCryptoki(key: ServedKey, tokenLabel: string): FakeCryptoki {
  const calls: Call[] = []
  const failures: { readonly call: Call; readonly code: string }[] = []
  const point = Buffer.from(`0441${key.publicKey.slice(2)}`, 'hex')
  const values: Readonly<Record<number, Buffer>> = {
    [id]: Buffer.from([1]),
    [ecParameters]: parameters,
    [ecPoint]: point,
  }

  function called<T>(call: Call, result: T): T {
    calls.push(call)
    const next = failures.findIndex((each) => each.call === call)
    const [ordered] = next < 0 ? [] : failures.splice(next, 1)
    if (ordered) throw new Error(ordered.code)
    return result
  }

  const library = {
    load: () => called('load', undefined),
    C_Initialize: () => called('C_Initialize', undefined),
    C_GetSlotList: () =>
      called(
        'C_GetSlotList',
        fake.slots.map((label) => Buffer.from(label)),
      ),
    C_GetTokenInfo: (slot: Buffer) => called('C_GetTokenInfo', { label: `${slot}   `, flags: fake.flags }),
    C_OpenSession: () => called('C_OpenSession', Buffer.from('session')),
    C_CloseSession: () => called('C_CloseSession', undefined),
    C_Login: () => called('C_Login', undefined),
    C_FindObjectsInit: () => called('C_FindObjectsInit', undefined),
    C_FindObjects: () => called('C_FindObjects', [Buffer.from('key')]),
    C_FindObjectsFinal: () => called('C_FindObjectsFinal', undefined),
    C_GetAttributeValue: (_session: Buffer, _object: Buffer, [wanted]: readonly { readonly type: number }[]) =>
      called('C_GetAttributeValue', [
        { type: wanted?.type ?? 0, value: values[wanted?.type ?? 0] ?? Buffer.from([0]) },
      ]),
    C_SignInit: () => called('C_SignInit', undefined),
    C_Sign: (_session: Buffer, digest: Buffer) => called('C_Sign', Buffer.concat([digest, digest])),
  }
  const fake: FakeCryptoki = {
    // It has the functions that the service calls, with the results that the service reads.
    newLibrary: () => library as unknown as CryptokiLibrary,
    calls,
    failNext: (call, ...codes) => void failures.push(...codes.map((code) => ({ call, code }))),
    slots: [tokenLabel],
    flags: 0,
  }
  return fake
}
