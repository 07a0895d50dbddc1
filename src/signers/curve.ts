// Signs with ECDSA over secp256k1: by the native library where it is installed and passes a check, otherwise by viem.
import { createRequire } from 'node:module'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { bytesToHex, hexToBytes, recoverPublicKey } from 'viem/utils'
import type { Hash, Hex } from '../domain/ids.ts'
import type { Logger } from '../ops/logger.ts'
import { knownKey, knownPublicKey, knownSignatures } from './known-signatures.ts'

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
  /** The public key that made the signature: 65 bytes, uncompressed. Throws where there is none. */
  recover(digest: Hash, signature: CurveSignature): Promise<Hex> | Hex
}

export const viemCurve: Curve = {
  name: 'viem',
  publicKey: (key) => privateKeyToAccount(bytesToHex(key)).publicKey,
  async sign(digest, key) {
    const { r, s, yParity } = await sign({ hash: digest, privateKey: bytesToHex(key) })
    return { r, s, yParity: yParity === 1 ? 1 : 0 }
  },
  recover: (digest, { r, s, yParity }) => recoverPublicKey({ hash: digest, signature: { r, s, yParity } }),
}

/** Checked once per process, since the library does not change while it runs. */
let proven: Curve | undefined

/**
 * Returns the native curve. If it is missing, or disagrees with viem on test digests, logs a warning and returns
 * viem's.
 */
export async function openCurve(log: Logger, load: () => NativeModule = loadNative): Promise<Curve> {
  if (load === loadNative && proven) return proven
  try {
    const native = nativeCurve(load())
    await compareWithViem(native)
    if (load === loadNative) proven = native
    return native
  } catch (err) {
    log.warn(
      { err },
      'the native secp256k1 library is not in use: signatures are correct, at about a quarter of the speed',
    )
    return viemCurve
  }
}

/** The part of the `secp256k1` package that we call. It throws on a key that is not on the curve. */
export interface NativeModule {
  publicKeyCreate(key: Uint8Array, compressed: false): Uint8Array
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { readonly signature: Uint8Array; readonly recid: number }
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: false): Uint8Array
}

/** Loads the binding itself: the package's main file would silently fall back to its own slow JavaScript. */
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
    recover(digest, { r, s, yParity }) {
      const signature = Buffer.from(r.slice(2) + s.slice(2), 'hex')
      return bytesToHex(module.ecdsaRecover(signature, yParity, Buffer.from(digest.slice(2), 'hex'), false))
    },
  }
}

async function compareWithViem(curve: Curve): Promise<void> {
  const key = hexToBytes(knownKey)
  if (curve.publicKey(key) !== knownPublicKey) {
    throw new Error('the native secp256k1 library disagrees with viem on the public key of a test key')
  }
  for (const { digest, ...theirs } of knownSignatures) {
    const ours = await curve.sign(digest, key)
    if (ours.r !== theirs.r || ours.s !== theirs.s || ours.yParity !== theirs.yParity) {
      throw new Error('the native secp256k1 library disagrees with viem on a test digest')
    }
    if ((await curve.recover(digest, ours)) !== knownPublicKey) {
      throw new Error('the native secp256k1 library does not recover the public key of a test key')
    }
  }
}
