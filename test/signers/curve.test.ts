// Which curve signs: the native one only if it is there and agrees with viem.
import { expect, test } from 'vitest'
import { openCurve } from '../../src/signers/curve.ts'
import { listeningLog } from './workplace.ts'

test('a native library that is missing is done without, and the log says so', async () => {
  const { log, warnings } = listeningLog()
  const curve = await openCurve(log, () => {
    throw new Error("Cannot find module 'secp256k1/bindings.js'")
  })
  expect(curve.name).toBe('viem')
  expect(warnings).toEqual([
    { facts: { err: expect.any(Error) }, message: expect.stringMatching(/without the native/) },
  ])
})

test.each([
  ['signs wrongly', () => ({ signature: new Uint8Array(64).fill(7), recid: 0 })],
  ['recovers to another', () => ({ signature: new Uint8Array(64).fill(7), recid: 2 })],
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
])('a native library that %s is done without', async (_, ecdsaSign) => {
  const { log, warnings } = listeningLog()
  expect((await openCurve(log, () => ({ ecdsaSign }))).name).toBe('viem')
  expect(warnings).toHaveLength(1)
})

test('the native library signs where it is built for the machine', async () => {
  const { log, warnings } = listeningLog()
  const { name } = await openCurve(log)
  const isBuilt = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(`${process.platform}-${process.arch}`)
  if (isBuilt) expect([name, warnings]).toEqual(['native', []])
  else expect(['native', 'viem']).toContain(name)
})
