// Which bytes count as a signature: strict DER or r‖s, with s in the lower half.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hash } from '../../../src/domain/ids.ts'
import { openCurve, viemCurve } from '../../../src/signers/curve.ts'
import { parseSignature, verifySignature } from '../../../src/signers/remote/verify-signature.ts'
import { compact, der, order } from '../../../tooling/memory-key-service.ts'
import { keys, listeningLog } from '../workplace.ts'

const digests = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hash => `0x${Buffer.from(bytes).toString('hex')}`)

test('both encodings, with a low or a high s, yield the signature of the key, over both curves', async () => {
  const native = await openCurve(listeningLog().log)
  await fc.assert(
    fc.asyncProperty(digests, keys, fc.boolean(), async (digest, key, isHigh) => {
      const signed = await native.sign(digest, key)
      const [r, low] = [BigInt(signed.r), BigInt(signed.s)]
      const s = isHigh ? order - low : low
      const publicKey = native.publicKey(key)
      for (const answered of [
        { encoding: 'der', bytes: der(r, s) },
        { encoding: 'compact', bytes: compact(r, s) },
        { encoding: 'compact', bytes: `${compact(r, s)}1b` },
      ] as const) {
        expect(await verifySignature(native, digest, answered, publicKey)).toEqual(signed)
      }
      expect(
        await verifySignature(viemCurve, digest, { encoding: 'compact', bytes: compact(r, s) }, publicKey),
      ).toEqual(signed)
    }),
    { numRuns: 20 },
  )
})

test('a signature of another key, or of another digest, is none', async () => {
  const [one, other] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
  const digest: Hash = `0x${'11'.repeat(32)}`
  const { r, s } = await viemCurve.sign(digest, one)
  const answered = { encoding: 'compact', bytes: compact(BigInt(r), BigInt(s)) } as const
  expect(await verifySignature(viemCurve, digest, answered, viemCurve.publicKey(other))).toBeUndefined()
  const otherDigest: Hash = `0x${'12'.repeat(32)}`
  expect(await verifySignature(viemCurve, otherDigest, answered, viemCurve.publicKey(one))).toBeUndefined()
})

const [r, s] = [5n, 6n]
test.each<[string, 'der' | 'compact', `0x${string}`]>([
  ['63 bytes', 'compact', `0x${'01'.repeat(63)}`],
  ['66 bytes', 'compact', `0x${'01'.repeat(66)}`],
  ['no hexadecimal', 'compact', '0xzz'],
  ['nothing', 'compact', '0x'],
  ['r of zero', 'compact', compact(0n, s)],
  ['s of zero', 'compact', compact(r, 0n)],
  ['r of the order', 'compact', compact(order, s)],
  ['s above the order', 'compact', compact(r, order + 1n)],
  ['a byte after it', 'der', `${der(r, s)}00`],
  ['a wrong length', 'der', '0x3007020105020106'],
  ['a long form of the length', 'der', '0x308106020105020106'],
  ['no sequence', 'der', '0x3106020105020106'],
  ['no integer', 'der', '0x3006030105020106'],
  ['a negative r', 'der', '0x3006020185020106'],
  ['a padded r', 'der', '0x300702020005020106'],
  ['an empty s', 'der', '0x30050201050200'],
  ['only r', 'der', '0x3003020105'],
])('%s is no signature', (_, encoding, bytes) => {
  expect(parseSignature({ encoding, bytes })).toBeUndefined()
})

test('the shortest DER, and a first byte that needs a zero before it', () => {
  expect(parseSignature({ encoding: 'der', bytes: '0x3006020105020106' })?.r).toBe(`0x${'5'.padStart(64, '0')}`)
  expect(parseSignature({ encoding: 'der', bytes: '0x300702020085020106' })?.r).toBe(`0x${'85'.padStart(64, '0')}`)
})
