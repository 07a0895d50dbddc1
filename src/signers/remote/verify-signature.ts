// Parses a key service's signature, strict DER or r‖s, with s in the lower half of the order (EIP-2), and completes it with its
// recovery id, if it is a signature of the pinned key.
import type { Hash, Hex } from '../../domain/ids.ts'
import type { Curve, CurveSignature } from '../curve.ts'
import type { KeySignature } from '../key-service.ts'

/** r and s of a signature; each has 32 bytes. */
interface SignatureParts {
  readonly r: Hex
  readonly s: Hex
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const half = order / 2n

/** Parses a signature; undefined for bytes that are none over secp256k1. About half of all providers' signatures have a high s. */
export function parseSignature({
  encoding,
  bytes,
}: Pick<KeySignature, 'encoding' | 'bytes'>): SignatureParts | undefined {
  if (!/^0x([0-9a-fA-F]{2})+$/.test(bytes)) return undefined
  const octets = Buffer.from(bytes.slice(2), 'hex')
  const parsed = encoding === 'der' ? parseDer(octets) : parseCompact(octets)
  if (!parsed) return undefined
  const { r, s } = parsed
  if (r === 0n || s === 0n || r >= order || s >= order) return undefined
  return { r: word(r), s: word(s > half ? order - s : s) }
}

interface Integers {
  readonly r: bigint
  readonly s: bigint
}

/** A v behind them may be in any of three conventions, so it is ignored. */
function parseCompact(octets: Buffer): Integers | undefined {
  if (octets.length !== 64 && octets.length !== 65) return undefined
  return { r: integer(octets.subarray(0, 32)), s: integer(octets.subarray(32, 64)) }
}

/** SEQUENCE { INTEGER r, INTEGER s }, in the one encoding that DER allows. */
function parseDer(octets: Buffer): Integers | undefined {
  // Two integers of at most 33 bytes need no long form of a length.
  if (octets[0] !== 0x30 || octets[1] !== octets.length - 2 || octets.length > 72) return undefined
  const r = derInteger(octets, 2)
  const s = r && derInteger(octets, r.end)
  if (!r || !s || s.end !== octets.length) return undefined
  return { r: r.value, s: s.value }
}

function derInteger(octets: Buffer, at: number): { readonly value: bigint; readonly end: number } | undefined {
  const length = octets[at + 1]
  if (octets[at] !== 0x02 || length === undefined || length < 1 || length > 33) return undefined
  const content = octets.subarray(at + 2, at + 2 + length)
  const [first = 0, second = 0] = content
  const isNegative = first >= 0x80
  const isPadded = first === 0 && length > 1 && second < 0x80
  if (content.length !== length || isNegative || isPadded) return undefined
  return { value: integer(content), end: at + 2 + length }
}

function integer(octets: Buffer): bigint {
  return BigInt(`0x${octets.toString('hex')}`)
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Verifies a signature; undefined for bytes that are none of `digest` by `publicKey`. */
export async function verifySignature(
  curve: Curve,
  digest: Hash,
  answered: KeySignature,
  publicKey: Hex,
): Promise<CurveSignature | undefined> {
  const parts = parseSignature(answered)
  if (!parts) return undefined
  for (const yParity of [0, 1] as const) {
    const signature = { ...parts, yParity }
    if ((await recovered(curve, digest, signature)) === publicKey) return signature
  }
  return undefined
}

/** Not every r is the x of a point. */
async function recovered(curve: Curve, digest: Hash, signature: CurveSignature): Promise<Hex | undefined> {
  try {
    return await curve.recover(digest, signature)
  } catch {
    return undefined
  }
}
