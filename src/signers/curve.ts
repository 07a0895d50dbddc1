// ECDSA over secp256k1: the native library where it is installed and proves itself, viem's own arithmetic otherwise.
import { createRequire } from 'node:module'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { bytesToHex, hexToBytes } from 'viem/utils'
import type { Hash, Hex } from '../domain/ids.ts'
import type { Logger } from '../ops/logger.ts'

export interface CurveSignature {
  /** 32 bytes. */
  readonly r: Hex
  /** 32 bytes, in the lower half of the order (EIP-2). */
  readonly s: Hex
  readonly yParity: 0 | 1
}

export interface Curve {
  readonly name: 'native' | 'viem'
  /** 65 bytes, uncompressed. Throws on a key that is zero or not below the order; the error may quote the key. */
  publicKey(key: Uint8Array): Hex
  /** Deterministic (RFC 6979). `key` is 32 bytes. */
  sign(digest: Hash, key: Uint8Array): Promise<CurveSignature> | CurveSignature
}

export const viemCurve: Curve = {
  name: 'viem',
  publicKey: (key) => privateKeyToAccount(bytesToHex(key)).publicKey,
  async sign(digest, key) {
    const { r, s, yParity } = await sign({ hash: digest, privateKey: bytesToHex(key) })
    return { r, s, yParity: yParity === 1 ? 1 : 0 }
  },
}

/** Once a process: the library does not change while it runs. */
let proven: Curve | undefined

/** The native curve, unless it is missing or disagrees with viem on known digests; then viem's, and a log line. */
export async function openCurve(log: Logger, load: () => NativeModule = loadNative): Promise<Curve> {
  if (load === loadNative && proven) return proven
  try {
    const native = nativeCurve(load())
    await compareWithViem(native)
    if (load === loadNative) proven = native
    return native
  } catch (err) {
    log.warn({ err }, 'signing without the native secp256k1 library: correct, and at about a quarter of the speed')
    return viemCurve
  }
}

/** The part of the `secp256k1` package that we call. It throws on a key that is not on the curve. */
export interface NativeModule {
  publicKeyCreate(key: Uint8Array, compressed: false): Uint8Array
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { readonly signature: Uint8Array; readonly recid: number }
}

/** The binding itself: the package's main file would quietly fall back to a slow pure JavaScript of its own. */
function loadNative(): NativeModule {
  return createRequire(import.meta.url)('secp256k1/bindings.js') as NativeModule
}

function nativeCurve(module: NativeModule): Curve {
  return {
    name: 'native',
    publicKey: (key) => bytesToHex(module.publicKeyCreate(key, false)),
    sign(digest, key) {
      const { signature, recid } = module.ecdsaSign(Buffer.from(digest.slice(2), 'hex'), key)
      const hex = Buffer.from(signature.buffer, signature.byteOffset, signature.length).toString('hex')
      // Recovery ids 2 and 3 mean r overflowed the order: one signature in 2^127, which Ethereum can't express.
      if (recid !== 0 && recid !== 1) throw new Error(`signature with recovery id ${recid}`)
      return { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64)}`, yParity: recid }
    },
  }
}

async function compareWithViem(curve: Curve): Promise<void> {
  const key = hexToBytes(`0x${'4646'.repeat(16)}`) // the example key of EIP-155
  if (curve.publicKey(key) !== viemCurve.publicKey(key)) {
    throw new Error('the native secp256k1 library disagrees with viem on a known public key')
  }
  // Below the order of the curve: above it the two derive their nonces differently, and both are right.
  for (const digit of ['0', '1', '2', '7', 'd', 'e']) {
    const digest: Hash = `0x${digit.repeat(64)}`
    const [ours, theirs] = [await curve.sign(digest, key), await viemCurve.sign(digest, key)]
    if (ours.r !== theirs.r || ours.s !== theirs.s || ours.yParity !== theirs.yParity) {
      throw new Error('the native secp256k1 library disagrees with viem on a known digest')
    }
  }
}
