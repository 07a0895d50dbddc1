// Secrets at rest: AES-256-GCM under a key from the environment. A sealed value names its key, so that keys can rotate,
// and opens only in the place that it was sealed for.
import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import { OperatorError } from './operator-error.ts'
import type { Random } from './random.ts'
import { type Secret, secret } from './secret.ts'

export interface Vault {
  /** Whether there is a key to seal with. */
  readonly canSeal: boolean
  /** `place` names the row and member, and is authenticated with the text. Throws where `canSeal` is false. */
  seal(text: string, place: string): string
  /** Throws OperatorError if no configured key opens it. The message names `place` and the variable to set. */
  open(sealed: string, place: string): Secret
  /** Whether the key that sealed it is configured. */
  opens(sealed: string): boolean
  /** False: it was sealed under a previous key, and should be sealed anew. */
  isCurrent(sealed: string): boolean
}

interface VaultKeys {
  /** 32 bytes each, in base64. */
  readonly current?: Secret
  readonly previous: readonly Secret[]
}

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

const version = 'v1'
/** NIST SP 800-38D §8.2.2: random, so that no counter has to survive a crash. */
const ivBytes = 12
const tagBytes = 16

export function openVault(keys: VaultKeys, random: Random): Vault {
  const current = keys.current && keyOf(keys.current)
  const all = [...(current ? [current] : []), ...keys.previous.map(keyOf)]

  return {
    canSeal: current !== undefined,
    seal(text, place) {
      if (!current) throw new Error('there is no key to seal with')
      const iv = random.bytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', current.bytes, iv).setAAD(authenticated(place))
      const bytes = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${version}.${current.id}.${bytes.toString('base64url')}`
    },
    open(sealed, place) {
      const [, keyId, bytes] = sealed.split('.')
      const key = all.find(({ id }) => id === keyId)
      if (!key) {
        const set =
          current === undefined
            ? 'STORAGE_ENCRYPTION_KEY is not set; set it to that key'
            : `STORAGE_ENCRYPTION_KEY is key ${current.id}; add that key to STORAGE_ENCRYPTION_KEYS_PREVIOUS, or put it back`
        throw new OperatorError(`${place} is sealed in the database under key ${keyId}, and ${set}`)
      }
      try {
        return secret(unseal(key, Buffer.from(bytes ?? '', 'base64url'), place))
      } catch {
        // The cause adds nothing, and might reveal something.
        throw new OperatorError(
          `${place} does not open with key ${key.id}, although it was sealed with it: the row was changed or moved; restore it from a back-up`,
        )
      }
    },
    opens: (sealed) => all.some(({ id }) => id === keyIdOf(sealed)),
    isCurrent: (sealed) => keyIdOf(sealed) === current?.id,
  }
}

function unseal({ bytes }: Key, sealed: Buffer, place: string): string {
  const iv = sealed.subarray(0, ivBytes)
  const tag = sealed.subarray(sealed.length - tagBytes)
  const decipher = createDecipheriv('aes-256-gcm', bytes, iv, { authTagLength: tagBytes })
  decipher.setAAD(authenticated(place)).setAuthTag(tag)
  const text = decipher.update(sealed.subarray(ivBytes, sealed.length - tagBytes))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

/** The id is a digest of a key of full entropy: it distinguishes keys, and reveals nothing about them. */
function keyOf(given: Secret): Key {
  const bytes = Buffer.from(given.reveal(), 'base64')
  return { id: hash('sha256', Buffer.concat([Buffer.from('rescind key id'), bytes]), 'hex').slice(0, 12), bytes }
}

function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1]
}

function authenticated(place: string): Buffer {
  return Buffer.from(`rescind ${version} ${place}`)
}
