// Public keys as PKCS#11 libraries return them: a point in DER, or the bytes of a point.
import type { Hex } from '../domain/ids.ts'
import { uncompressed } from '../ops/curve-point.ts'

/** The OID 1.3.132.0.10 in DER, and PKCS#11 v3.0's name of the curve as a PrintableString. */
const secp256k1: readonly string[] = ['06052b8104000a', '1309736563703235366b31']

/** Whether the key is of the curve; undefined where the object has no CKA_EC_PARAMS. */
export function isSecp256k1(params: Buffer | undefined): boolean | undefined {
  return params?.length ? secp256k1.includes(params.toString('hex')) : undefined
}

/** An OCTET STRING (the standard's), a BIT STRING, or neither; each with a point that is compressed or not. */
const wrapped = /^(?:04(?:41|21)|03(?:42|22)00)(04[0-9a-f]{128}|0[23][0-9a-f]{64})$/

/** 65 bytes. Undefined if it is no point of secp256k1. */
export function publicKeyOfPoint(point: Buffer | undefined): Hex | undefined {
  const hex = point?.toString('hex') ?? ''
  return uncompressed(wrapped.exec(hex)?.[1] ?? hex)
}
