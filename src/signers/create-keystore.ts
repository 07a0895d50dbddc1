// Creates a keystore file with a new key: Web3 Secret Storage, version 3, with scrypt.
import { type BinaryLike, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import * as Keystore from 'ox/Keystore'
import { bytesToHex } from 'viem/utils'
import type { Random } from '../ops/random.ts'

/** The cost that go-ethereum calls standard: 256 MiB, and about a second. */
const cost = { n: 262_144, r: 8, p: 1 } as const

/** The text of the file. */
export async function createKeystore(passphrase: string, random: Random, id: string): Promise<string> {
  const salt = random.bytes(32)
  const { n, r, p } = cost
  const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)
  const key = await derive(passphrase, salt, 32, { N: n, r, p, maxmem: 256 * n * r })
  // 32 random bytes are a valid key but once in 2^128.
  const keystore = Keystore.encrypt(random.bytes(32), bytesToHex(key), {
    ...{ id, kdf: 'scrypt', iv: random.bytes(16) },
    kdfparams: { n, r, p, dklen: 32, salt: bytesToHex(salt).slice(2) },
  })
  return `${JSON.stringify(keystore, undefined, 2)}\n`
}
