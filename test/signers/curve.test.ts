// Which curve signs: the native one only if it is there and agrees with viem.
import { createRequire } from 'node:module'
import { hexToBytes } from 'viem/utils'
import { expect, test } from 'vitest'
import { type NativeModule, openCurve, viemCurve } from '../../src/signers/curve.ts'
import { knownKey, knownPublicKey, knownSignatures } from '../../src/signers/known-signatures.ts'
import { listeningLog } from './workplace.ts'

test('a native library that is missing is done without, and the log says so', async () => {
  const { log, warnings } = listeningLog()
  const curve = await openCurve(log, () => {
    throw new Error("Cannot find module 'secp256k1/bindings.js'")
  })
  expect(curve.name).toBe('viem')
  expect(warnings).toEqual([
    { facts: { err: expect.any(Error) }, message: expect.stringMatching(/native secp256k1 library is not in use/) },
  ])
})

test('what the native library is compared with is what viem signs', async () => {
  const key = hexToBytes(knownKey)
  expect(viemCurve.publicKey(key)).toBe(knownPublicKey)
  for (const { digest, ...known } of knownSignatures) {
    expect(await viemCurve.sign(digest, key)).toEqual(known)
    expect(await viemCurve.recover(digest, known)).toBe(knownPublicKey)
  }
})

const working: NativeModule = createRequire(import.meta.url)('secp256k1/bindings.js')

test.each<[string, Partial<NativeModule>]>([
  ['signs wrongly', { ecdsaSign: () => ({ signature: new Uint8Array(64).fill(7), recid: 0 }) }],
  ['recovers to another', { ecdsaSign: () => ({ signature: new Uint8Array(64).fill(7), recid: 2 }) }],
  ['recovers another public key', { ecdsaRecover: () => new Uint8Array(65).fill(4) }],
  ['derives another public key', { publicKeyCreate: () => new Uint8Array(65).fill(4) }],
  [
    'throws',
    {
      ecdsaSign: () => {
        throw new Error('broken')
      },
    },
  ],
])('a native library that %s is done without', async (_, broken) => {
  const { log, warnings } = listeningLog()
  const { publicKeyCreate, ecdsaSign, ecdsaRecover } = working
  const load = () => ({ publicKeyCreate, ecdsaSign, ecdsaRecover, ...broken })
  expect((await openCurve(log, load)).name).toBe('viem')
  expect(warnings).toHaveLength(1)
})

test('the native library signs where it is built for the machine', async () => {
  const { log, warnings } = listeningLog()
  const { name } = await openCurve(log)
  const isBuilt = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(`${process.platform}-${process.arch}`)
  if (isBuilt) expect([name, warnings]).toEqual(['native', []])
  else expect(['native', 'viem']).toContain(name)
})
