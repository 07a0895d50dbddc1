// A signer whose key is in a keystore file: Web3 Secret Storage, version 3, with scrypt or PBKDF2.
import { type BinaryLike, pbkdf2, type ScryptOptions, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import * as Keystore from 'ox/Keystore'
import { bytesToHex, hexToBytes } from 'viem/utils'
import { SignerError } from '../ops/operator-error.ts'
import type { Curve } from './curve.ts'
import { keySigner } from './key-signer.ts'
import { type KeystoreFile, type KeystoreKdf, parseKeystore } from './parse-keystore.ts'
import type { Signer } from './signer.ts'

/** Decrypts at once, so that a wrong passphrase stops the start. Throws SignerError. */
export async function openLocalSigner(id: string, path: string, passphrase: string, curve: Curve): Promise<Signer> {
  // A path reveals the machine's layout; the file's name is enough to find it.
  const about = `signer "${id}": keystore ${basename(path)}`
  const file = parseKeystore(await readText(path, about), about)
  const signer = keySigner(id, await decrypt(file, passphrase, about), curve)
  if (file.address !== undefined && file.address !== signer.address.toLowerCase()) {
    throw new SignerError(`${about} says it is for ${file.address}, but holds the key of ${signer.address}; replace it`)
  }
  return signer
}

async function readText(path: string, about: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new SignerError(`${about} can't be read (${code}); check the path, and that the service may read it`)
  }
}

async function decrypt(file: KeystoreFile, passphrase: string, about: string): Promise<Uint8Array> {
  const derived = await deriveKey(file.kdf, passphrase)
  try {
    return hexToBytes(Keystore.decrypt(file.keystore, bytesToHex(derived)))
  } catch {
    // The MAC over the ciphertext differs: a wrong passphrase and a damaged file look the same.
    throw new SignerError(`${about} does not open with the passphrase given; correct it, unless the file is damaged`)
  }
}

/** Uses Node's own functions, off the event loop: a scrypt of usual cost takes seconds in JavaScript. */
async function deriveKey(kdf: KeystoreKdf, passphrase: string): Promise<Uint8Array> {
  if (kdf.name === 'pbkdf2') {
    return promisify(pbkdf2)(passphrase, kdf.salt, kdf.iterations, 32, 'sha256')
  }
  const { n, r, p, salt } = kdf
  // RFC 7914 requires N below 2^(16 r), and OpenSSL enforces it. Some writers, and the definition's own test vector,
  // don't.
  if (n >= 2 ** (16 * r)) {
    const [key] = await Keystore.scryptAsync({ password: passphrase, salt, n, r, p })
    return hexToBytes(key())
  }
  const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)
  return derive(passphrase, salt, 32, { N: n, r, p, maxmem: 128 * r * (n + p + 2) + 1024 })
}
