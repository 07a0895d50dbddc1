// A key service in memory: it signs correctly, unless its owner decides otherwise before each call. Signatures are encoded as key
// services do it.
import { bytesToHex } from 'viem/utils'
import type { Hex } from '../src/domain/ids.ts'
import { type Curve, viemCurve } from '../src/signers/curve.ts'
import type { KeyService, KeySignature } from '../src/signers/key-service.ts'

export interface MemoryKeyService extends KeyService {
  /** Called before each answer; it may wait, or throw what the service answers. */
  beforeSigning: (signal: AbortSignal) => Promise<void>
  beforeOpening: () => Promise<void>
  /** Called before each try to sign, as for an access token. */
  ready: (signal: AbortSignal) => Promise<void>
  /** The key that signs; the public key stays that of the first. */
  signsWith: Uint8Array
  /** Calls to `sign` so far. */
  readonly calls: number
  readonly isClosed: boolean
}

interface MemoryKeyOptions {
  readonly curve?: Curve
  readonly quota?: KeyService['quota']
  readonly quotaDomain?: string
  readonly canProbe?: boolean
}

export function memoryKeyService(key: Uint8Array, options: MemoryKeyOptions = {}): MemoryKeyService {
  const { curve = viemCurve, quota = { perSecond: 1_000, concurrency: 100 }, canProbe = true } = options
  const { quotaDomain = bytesToHex(key) } = options
  let calls = 0
  let isClosed = false
  const service: MemoryKeyService = {
    quotaDomain,
    quota,
    canProbe,
    signsWith: key,
    beforeSigning: async () => {},
    beforeOpening: async () => {},
    ready: async () => {},
    get calls() {
      return calls
    },
    get isClosed() {
      return isClosed
    },
    async close() {
      isClosed = true
    },
    async open() {
      await service.beforeOpening()
      return { publicKey: curve.publicKey(key), keyVersion: 'memory/1' }
    },
    async sign({ digest }, signal) {
      calls += 1
      const number = calls
      await service.beforeSigning(signal)
      const { r, s } = await curve.sign(digest, service.signsWith)
      return { ...encoded(BigInt(r), BigInt(s), number), requestId: `request-${number}` }
    },
  }
  return service
}

/** Half with a high s, half as DER, as real services answer. */
function encoded(r: bigint, low: bigint, number: number): Pick<KeySignature, 'encoding' | 'bytes'> {
  const s = number % 2 === 0 ? low : order - low
  const bytes: Hex = number % 4 < 2 ? der(r, s) : compact(r, s)
  return { encoding: number % 4 < 2 ? 'der' : 'compact', bytes }
}

/** The order of secp256k1. */
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
