// Encodes signatures over secp256k1 as key services do.
import type { Hex } from '../src/domain/ids.ts'

export const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export function compact(r: bigint, s: bigint): Hex {
  return `0x${word(r)}${word(s)}`
}

export function der(r: bigint, s: bigint): Hex {
  const content = `${derInteger(r)}${derInteger(s)}`
  return `0x30${octet(content.length / 2)}${content}`
}

function derInteger(value: bigint): string {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  const content = Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even
  return `02${octet(content.length / 2)}${content}`
}

function octet(value: number): string {
  return value.toString(16).padStart(2, '0')
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
