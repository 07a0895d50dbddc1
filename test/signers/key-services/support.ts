// What the tests of key services share: a client's needs of the process, and a check of its signatures.
import { createECDH, createHash } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import { type Hex, keccak256, recoverAddress } from 'viem'
import { expect } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import type { ServiceAccess } from '../../../src/signers/exchange.ts'
import { type KeyService, KeyServiceError, type KeySignature } from '../../../src/signers/key-service.ts'
import type { ServedKey } from '../../../tooling/key-services/served-key.ts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export const unaborted = new AbortController().signal

export interface Access extends ServiceAccess, AsyncDisposable {
  readonly dispatcher: Dispatcher
}

/** Requests to `from` reach `to`: the names of real services stay in the requests, and no byte leaves the machine. */
export function accessTo(
  redirected: Readonly<Record<string, string>> = {},
  tls: { readonly ca?: string } = {},
): Access {
  const agent = new Agent({ connect: tls })
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const origin = String(options.origin)
    const target = Object.hasOwn(redirected, origin) ? redirected[origin] : undefined
    return dispatch({ ...options, ...(target !== undefined && { origin: target }) }, handler)
  })
  return {
    clock: systemClock,
    random: systemRandom(),
    dispatcher,
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

let count = 0

/** Opens the service, and signs twice: one of the two signatures of a fake has a high s. */
export async function expectSignatures(service: KeyService, key: ServedKey): Promise<readonly KeySignature[]> {
  const { publicKey } = await service.open(unaborted)
  expect(publicKey).toBe(key.publicKey)
  const signatures = []
  for (const _ of [1, 2]) {
    count += 1
    const preimage: Hex = `0x02${createHash('sha256').update(String(count)).digest('hex')}`
    const digest = keccak256(preimage)
    const signature = await service.sign({ digest, preimage }, unaborted)
    expect(await signersOf(digest, signature)).toContain(key.address)
    signatures.push(signature)
  }
  return signatures
}

/** Two candidates, by the parity of the point. */
export async function signersOf(hash: Hex, { encoding, bytes }: KeySignature): Promise<readonly string[]> {
  const [r, given] = encoding === 'der' ? integersOf(Buffer.from(bytes.slice(2), 'hex')) : wordsOf(bytes)
  const s = given > order / 2n ? order - given : given
  const hex = (word: bigint): Hex => `0x${word.toString(16).padStart(64, '0')}`
  return Promise.all([0, 1].map((yParity) => recoverAddress({ hash, signature: { r: hex(r), s: hex(s), yParity } })))
}

function wordsOf(bytes: Hex): readonly [bigint, bigint] {
  expect([64, 65]).toContain((bytes.length - 2) / 2)
  return [BigInt(bytes.slice(0, 66)), BigInt(`0x${bytes.slice(66, 130)}`)]
}

function integersOf(der: Buffer): readonly [bigint, bigint] {
  const length = der[3] ?? 0
  const word = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  return [word(der.subarray(4, 4 + length)), word(der.subarray(6 + length))]
}

export async function failureOf(run: () => Promise<unknown>): Promise<KeyServiceError> {
  const error = await run().catch((reason: unknown) => reason)
  if (error instanceof KeyServiceError) return error
  throw new Error(`no KeyServiceError: ${String(error)}`)
}

export const someDigest = { digest: keccak256('0x02'), preimage: '0x02' } as const

/** Of P-256, as an API key: both in hex, the public one compressed. */
export function apiKeyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  return {
    publicKey: pair.getPublicKey('hex', 'compressed'),
    privateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  }
}
