// Parses the text of a keystore file into checked values. Limits come first, so that no file makes a start take
// forever.
import type { Keystore } from 'ox'
import { SignerError } from '../ops/operator-error.ts'

export type KeystoreKdf =
  | { readonly name: 'scrypt'; readonly salt: Uint8Array; readonly n: number; readonly r: number; readonly p: number }
  | { readonly name: 'pbkdf2'; readonly salt: Uint8Array; readonly iterations: number }

export interface KeystoreFile {
  readonly keystore: Keystore.Keystore
  readonly kdf: KeystoreKdf
  /** 0x and lower case. Some writers omit it. */
  readonly address?: string
}

/** Any object of the file, before its members are checked. */
interface Untrusted {
  readonly version?: unknown
  readonly address?: unknown
  readonly crypto?: unknown
  readonly Crypto?: unknown
  readonly cipher?: unknown
  readonly cipherparams?: unknown
  readonly ciphertext?: unknown
  readonly mac?: unknown
  readonly kdf?: unknown
  readonly kdfparams?: unknown
  readonly iv?: unknown
  readonly salt?: unknown
  readonly dklen?: unknown
  readonly prf?: unknown
  readonly c?: unknown
  readonly n?: unknown
  readonly r?: unknown
  readonly p?: unknown
}

const scryptBytesMax = 1024 ** 3
const iterationsMax = 10_000_000

/** `about` names the signer and the file. Throws SignerError. */
export function parseKeystore(text: string, about: string): KeystoreFile {
  const refuse = (fault: string): never => {
    throw new SignerError(`${about} ${fault}`)
  }
  const file = objectOf(parseJson(text))
  if (!file) return refuse('is not a JSON object; point the path at a keystore of version 3')
  if (file.version !== 3) return refuse('is not of version 3; create one, for example with `cast wallet import`')
  const crypto = objectOf(file.crypto ?? file.Crypto)
  if (!crypto) return refuse('has no "crypto" member; restore it from a backup')
  if (crypto.cipher !== 'aes-128-ctr') return refuse('is not encrypted with aes-128-ctr; create it again')

  const iv = hexOf(objectOf(crypto.cipherparams)?.iv, 16)
  const ciphertext = hexOf(crypto.ciphertext, 32)
  const mac = hexOf(crypto.mac, 32)
  const kdf = kdfOf(crypto.kdf, objectOf(crypto.kdfparams) ?? {})
  if (iv === undefined) return refuse('has no initialization vector of 16 bytes; restore it from a backup')
  if (ciphertext === undefined) return refuse('has no ciphertext of 32 bytes; restore it from a backup')
  if (mac === undefined) return refuse('has no MAC of 32 bytes; restore it from a backup')
  if (typeof kdf === 'string') return refuse(kdf)

  const address = hexOf(file.address, 20)
  return {
    // Decryption reads only these members of `crypto`; the key derivation is ours.
    keystore: {
      version: 3,
      id: '',
      crypto: { ...unusedKdf, cipher: 'aes-128-ctr', cipherparams: { iv }, ciphertext, mac },
    },
    kdf,
    ...(address !== undefined && { address: `0x${address}` }),
  }
}

const unusedKdf = { kdf: 'pbkdf2', kdfparams: { c: 1, dklen: 32, prf: 'hmac-sha256', salt: '' } } as const

function kdfOf(name: unknown, params: Untrusted): KeystoreKdf | string {
  const saltHex = hexOf(params.salt)
  if (saltHex === undefined) return 'has no salt; restore it from a backup'
  const salt = Buffer.from(saltHex, 'hex')
  if (params.dklen !== 32) return 'derives a key that is not of 32 bytes; create it again'
  if (name === 'pbkdf2') {
    const iterations = whole(params.c)
    if (params.prf !== 'hmac-sha256') return 'uses PBKDF2 without hmac-sha256; create it again'
    if (iterations === undefined || iterations > iterationsMax)
      return `has a PBKDF2 count that is not 1 to ${iterationsMax}`
    return { name, salt, iterations }
  }
  if (name !== 'scrypt') return 'derives its key by neither scrypt nor pbkdf2; create it again'
  const [n, r, p] = [whole(params.n), whole(params.r), whole(params.p)]
  if (n === undefined || r === undefined || p === undefined || n < 2 || !Number.isInteger(Math.log2(n))) {
    return 'has scrypt parameters out of range; create it again'
  }
  if (128 * n * r > scryptBytesMax || p > 64) return 'has scrypt parameters that need more than 1 GiB; create it again'
  return { name, salt, n, r, p }
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : undefined
}

/** Returns lower case without 0x, which some writers put in front. */
function hexOf(value: unknown, bytes?: number): string | undefined {
  if (typeof value !== 'string' || !/^(0x)?([0-9a-fA-F]{2})+$/.test(value)) return undefined
  const hex = value.replace(/^0x/, '').toLowerCase()
  return bytes === undefined || hex.length === 2 * bytes ? hex : undefined
}

function objectOf(value: unknown): Untrusted | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
