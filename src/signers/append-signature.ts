// Appends a signature to the bytes that it signs, so that the fields of a transaction are encoded once. Encoding them costs as much as a
// quarter of a signature.
//
// A transaction is a list (RLP), behind its type where it has one (EIP-2718): the length, then the items one after the other. Signed, the
// same items come first, and then `v`, `r` and `s`. A legacy one signs the chain's id and two zeros in their place (EIP-155).
import type { Hex } from '../domain/ids.ts'
import type { CurveSignature } from './curve.ts'

/** `legacy`: the chain's id of a transaction without a type, and the `v` of its signature. */
export function appendSignature(
  unsigned: Hex,
  { r, s, yParity }: CurveSignature,
  legacy?: { readonly chainId: number; readonly v: number },
): Hex {
  const typeEnd = legacy ? 2 : 4
  const items = unsigned.slice(typeEnd + lengthOfHeader(unsigned.slice(typeEnd, typeEnd + 2)))
  const replaced = legacy ? `${encodeInteger(legacy.chainId.toString(16))}8080` : ''
  const signature = [(legacy?.v ?? yParity).toString(16), r.slice(2), s.slice(2)].map(encodeInteger).join('')
  return `${unsigned.slice(0, typeEnd) as Hex}${encodeList(items.slice(0, items.length - replaced.length) + signature)}`
}

/** The digits before the first item. `first`: the first byte of a list. */
function lengthOfHeader(first: string): number {
  const bytesOfLength = Math.max(0, Number.parseInt(first, 16) - 0xf7)
  return 2 + 2 * bytesOfLength
}

function encodeList(items: string): string {
  const bytes = items.length / 2
  if (bytes < 56) return toByte(0xc0 + bytes) + items
  const length = evenDigits(bytes.toString(16))
  return toByte(0xf7 + length.length / 2) + length + items
}

/** `digits`: a number below 2^256, in hex. An integer has no leading zeros, and zero no bytes. */
function encodeInteger(digits: string): string {
  const bytes = evenDigits(digits.replace(/^0+/, ''))
  const isItself = bytes.length === 2 && bytes < '80'
  return isItself ? bytes : toByte(0x80 + bytes.length / 2) + bytes
}

function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

function toByte(value: number): string {
  return value.toString(16)
}
