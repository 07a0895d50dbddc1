// A vendor's PKCS#11 library as a program sees it, for the failures that SoftHSM never has: devices that go away, tokens that lock.
import type { CryptokiLibrary } from '../../src/signers/pkcs11-session.ts'
import type { ServedKey } from './served-key.ts'

type Call = keyof CryptokiLibrary

interface FakeCryptoki {
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
  /** The attributes of its two objects, by type. A missing one is CKR_ATTRIBUTE_TYPE_INVALID. */
  readonly objects: Readonly<Record<'private' | 'public', Record<number, Buffer>>>
}

const parameters = Buffer.from('06052b8104000a', 'hex')
/** CKA_ID, CKA_EC_PARAMS, CKA_EC_POINT. */
const [id, ecParameters, ecPoint] = [0x102, 0x180, 0x181]
const publicKeyClass = 2

/** It has one pair of keys. A signature is not right: it is the digest twice. */
export function fakeCryptoki(key: ServedKey, tokenLabel: string): FakeCryptoki {
  const calls: Call[] = []
  const failures: { readonly call: Call; readonly code: string }[] = []
  const point = Buffer.from(`0441${key.publicKey.slice(2)}`, 'hex')
  const objects = {
    private: { [id]: Buffer.from([1]), [ecParameters]: parameters },
    public: { [id]: Buffer.from([1]), [ecParameters]: parameters, [ecPoint]: point },
  }
  let sought: 'private' | 'public' = 'private'

  function attribute(object: string, type: number): { readonly type: number; readonly value: Buffer } {
    const value = fake.objects[object === 'public' ? 'public' : 'private'][type]
    if (!value) throw new Error('CKR_ATTRIBUTE_TYPE_INVALID')
    return { type, value }
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
    C_Finalize: () => called('C_Finalize', undefined),
    C_Logout: () => called('C_Logout', undefined),
    C_GetSlotList: () =>
      called(
        'C_GetSlotList',
        fake.slots.map((label) => Buffer.from(label)),
      ),
    C_GetTokenInfo: (slot: Buffer) => called('C_GetTokenInfo', { label: `${slot}   `, flags: fake.flags }),
    C_OpenSession: () => called('C_OpenSession', Buffer.from('session')),
    C_CloseSession: () => called('C_CloseSession', undefined),
    C_Login: () => called('C_Login', undefined),
    C_FindObjectsInit: (_session: Buffer, [wanted]: readonly { readonly value: unknown }[]) => {
      sought = wanted?.value === publicKeyClass ? 'public' : 'private'
      return called('C_FindObjectsInit', undefined)
    },
    C_FindObjects: () => called('C_FindObjects', [Buffer.from(sought)]),
    C_FindObjectsFinal: () => called('C_FindObjectsFinal', undefined),
    C_GetAttributeValue: (_session: Buffer, object: Buffer, [wanted]: readonly { readonly type: number }[]) => {
      called('C_GetAttributeValue', undefined)
      return [attribute(String(object), wanted?.type ?? 0)]
    },
    C_SignInit: () => called('C_SignInit', undefined),
    C_SignAsync: async (_session: Buffer, digest: Buffer) => called('C_SignAsync', Buffer.concat([digest, digest])),
  }
  const fake: FakeCryptoki = {
    // It has the functions that the service calls, with the results that the service reads.
    newLibrary: () => library as unknown as CryptokiLibrary,
    calls,
    failNext: (call, ...codes) => void failures.push(...codes.map((code) => ({ call, code }))),
    slots: [tokenLabel],
    flags: 0,
    objects,
  }
  return fake
}
