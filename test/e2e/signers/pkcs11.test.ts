// PKCS#11 against SoftHSM: keys that never leave a token.
import { existsSync } from 'node:fs'
import { inspect } from 'node:util'
import { publicKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { secret } from '../../../src/ops/secret.ts'
import { openPkcs11 } from '../../../src/signers/pkcs11.ts'
import { type SoftHsm, startSoftHsm, whyNoSoftHsm } from '../../../tooling/key-services/soft-hsm.ts'
import { failureOf, signersOf, someDigest, unaborted } from '../../signers/key-services/support.ts'
import { isSkipped } from '../../support/is-skipped.ts'

const missing = whyNoSoftHsm()
let hsm: SoftHsm | undefined

beforeAll(async () => {
  if (missing !== undefined) return
  hsm = await startSoftHsm()
  await hsm.createKey('payouts', '01')
  await hsm.createKey('refunds', '02')
  await hsm.createKey('p256', '03', 'prime256v1')
  vi.stubEnv('SOFTHSM2_CONF', hsm.configFile)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await hsm?.[Symbol.asyncDispose]()
})

function open(changes: { keyLabel?: string; pin?: string; tokenLabel?: string; module?: string } = {}) {
  if (!hsm) throw new Error('no SoftHSM')
  const { module, tokenLabel, pin } = { ...hsm, ...changes }
  const named = { module, tokenLabel, pin: secret(pin), keyLabel: changes.keyLabel ?? 'payouts' }
  return openPkcs11({ id: 'hsm', type: 'pkcs11', ...named }, { clock: systemClock })
}

test.skipIf(isSkipped(missing !== undefined))(`signs with two keys of a token ${missing ?? ''}`, async () => {
  const services = [await open(), await open({ keyLabel: 'refunds' })]
  const opened = await Promise.all(services.map((service) => service.open(unaborted)))
  expect(opened.map(({ keyVersion }) => keyVersion)).toEqual(['relayers/payouts/01', 'relayers/refunds/02'])
  for (const [place, service] of services.entries()) {
    const signatures = await Promise.all(Array.from({ length: 6 }, () => service.sign(someDigest, unaborted)))
    const address = publicKeyToAddress(opened[place]?.publicKey ?? '0x')
    for (const signature of signatures) expect(await signersOf(someDigest.digest, signature)).toContain(address)
  }
  await Promise.all(services.map((service) => service.close?.()))
})

test.skipIf(isSkipped(missing !== undefined))(
  `a try that nobody waits for does not end the session ${missing ?? ''}`,
  async () => {
    const service = await open()
    await service.open(unaborted)
    const aborted = await failureOf(() => service.sign(someDigest, AbortSignal.abort()))
    expect(aborted).toMatchObject({ kind: 'transient', code: 'ABORTED' })
    expect(await service.sign(someDigest, unaborted)).toMatchObject({ encoding: 'compact' })
    await service.close?.()
  },
)

test.skipIf(isSkipped(missing !== undefined))(`a wrong PIN is tried once ${missing ?? ''}`, async () => {
  const services = [await open({ pin: '000000' }), await open({ pin: '000000', keyLabel: 'refunds' })]
  const failures = []
  const [first, second] = services
  if (!hsm || !first || !second) throw new Error('not open')
  failures.push(await failureOf(() => first.open(unaborted)))
  // Were it tried again, it would be right now.
  await hsm.changePin(hsm.pin, '000000')
  for (const service of [first, second]) failures.push(await failureOf(() => service.open(unaborted)))
  await Promise.all(services.map((service) => service.close?.()))
  const again = await open({ pin: '000000' })
  failures.push(await failureOf(() => again.open(unaborted)))
  await again.close?.()
  await hsm.changePin('000000', hsm.pin)
  expect(failures.map(({ kind, code }) => [kind, code])).toEqual(failures.map(() => ['permanent', 'CKR_PIN_INCORRECT']))
  expect(inspect(failures)).not.toContain('000000')
})

test.skipIf(isSkipped(missing !== undefined))(
  `mistakes of the configuration are for the operator ${missing ?? ''}`,
  async () => {
    for (const [changes, code] of [
      [{ keyLabel: 'nobody' }, 'KEY_NOT_FOUND'],
      [{ keyLabel: 'p256' }, 'WRONG_CURVE'],
      [{ tokenLabel: 'nowhere' }, 'TOKEN_NOT_FOUND'],
      [{ module: '/nonexistent.so' }, 'MODULE_NOT_LOADED'],
    ] as const) {
      const service = await open(changes)
      expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'permanent', code })
      await service.close?.()
    }
  },
)

test('without the package the error has the command that helps', async () => {
  const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' }))
  const settings = { module: '/m.so', tokenLabel: 't', pin: secret('1'), keyLabel: 'k' }
  const opening = openPkcs11({ id: 'hsm', type: 'pkcs11', ...settings }, { clock: systemClock }, gone)
  await expect(opening).rejects.toThrow('run: npm install pkcs11js@^2.1.7')
  expect(existsSync('/m.so')).toBe(false)
})
