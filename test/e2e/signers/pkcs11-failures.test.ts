// PKCS#11 libraries that are slow, hang, or stay dead: a library of the tests' own before SoftHSM.
import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { publicKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { secret } from '../../../src/ops/secret.ts'
import type { KeyService } from '../../../src/signers/key-service.ts'
import { openPkcs11 } from '../../../src/signers/pkcs11.ts'
import type { SigningPriority } from '../../../src/signers/signer.ts'
import { type SlowCryptoki, startSlowCryptoki, whyNoCompiler } from '../../../tooling/key-services/slow-cryptoki.ts'
import { type SoftHsm, startSoftHsm, whyNoSoftHsm } from '../../../tooling/key-services/soft-hsm.ts'
import { key, signerOver } from '../../signers/key-services/over-service.ts'
import { failureOf, signersOf, someDigest, unaborted } from '../../signers/key-services/support.ts'
import { isSkipped } from '../../support/is-skipped.ts'
import { childrenWith } from './support/child-processes.ts'

const missing = whyNoSoftHsm() ?? whyNoCompiler()
const [tokenLabel, keyLabel] = ['relayers', 'payouts']
/** The token and the limits of its calls take twice as long, so that a busy machine keeps them. */
const slowdown = 2
const slowedClock = {
  ...systemClock,
  elapsed: () => systemClock.elapsed() / slowdown,
  sleep: (ms: number, ended?: AbortSignal) => systemClock.sleep(ms * slowdown, ended),
}
/** For a busy machine. */
const patience = 90_000
let hsm: SoftHsm
let library: SlowCryptoki
let service: KeyService

beforeAll(async () => {
  if (missing !== undefined) return
  hsm = await startSoftHsm()
  await hsm.createKey(keyLabel, '01')
  await hsm.importKey('served', '02', key.privateKey)
})
afterAll(() => hsm?.[Symbol.asyncDispose]())

beforeEach(async () => {
  if (missing !== undefined) return
  library = await startSlowCryptoki(hsm.module)
  for (const [name, value] of Object.entries(library.env)) vi.stubEnv(name, value)
  vi.stubEnv('SOFTHSM2_CONF', hsm.configFile)
  vi.stubEnv('HSM_USER', hsm.pin)
  await library.behave({})
  service = await open()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await service?.close?.()
  await library?.[Symbol.asyncDispose]()
})

function open(label = keyLabel, clock: Clock = systemClock): Promise<KeyService> {
  const settings = { module: library.module, tokenLabel, pin: secret(hsm.pin), keyLabel: label }
  return openPkcs11({ id: 'hsm', type: 'pkcs11', ...settings }, { clock })
}

async function signs(): Promise<boolean> {
  const { publicKey } = await service.open(unaborted)
  const signers = await signersOf(someDigest.digest, await service.sign(someDigest, unaborted))
  return signers.includes(publicKeyToAddress(publicKey))
}

const child = async () => {
  const [found] = await childrenWith(library.module)
  if (found === undefined) throw new Error('there is no child process')
  return found
}
const named = (calls: readonly string[], name: string) => calls.filter((call) => call.startsWith(`${name} `))

test.skipIf(isSkipped(missing !== undefined))(`several sessions sign at once ${missing ?? ''}`, async () => {
  await library.behave({ signMs: 300 })
  expect(await signs()).toBe(true)
  await Promise.all([service, service, service].map((each) => each.sign(someDigest, unaborted)))
  expect(named(await library.calls(), 'C_Sign').map((call) => call.at(-1))).toContain('2')
})

test.skipIf(isSkipped(missing !== undefined))(
  `a token that takes more than a second for each signature signs one at a time, cancellations first ${missing ?? ''}`,
  async () => {
    await library.behave({ signMs: 1_100 * slowdown, isSerial: true })
    const { signer, warnings } = await signerOver(await open('served', slowedClock), slowedClock)
    const order: SigningPriority[] = []
    const signed = async (priority: SigningPriority, nonce: number) => {
      const fees = { kind: 'legacy', gasPrice: 7n } as const
      const unsigned = { chainId: 1, nonce, gasLimit: 21_000, to: key.address, value: 5n, data: '0x', fees } as const
      await signer.sign(unsigned, { priority, deadline: slowedClock.now() + 10_000 })
      order.push(priority)
    }
    const payloads = [0, 1, 2, 3].map((nonce) => signed('payload', nonce))
    await Promise.all([...payloads, signed('cancel', 4)])
    expect(order).toEqual(['payload', 'cancel', 'payload', 'payload', 'payload'])
    expect(warnings).toEqual([])
    await signer.close?.()
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `attributes that the token calls sensitive are read from the public key ${missing ?? ''}`,
  async () => {
    await library.behave({ isSensitive: true })
    expect(await signs()).toBe(true)
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `two slots have the label, and the first one is broken: the second one signs ${missing ?? ''}`,
  async () => {
    await library.behave({ hasBrokenSlot: true })
    expect(await failureOf(() => service.open(unaborted))).toMatchObject({ code: 'CKR_DEVICE_ERROR' })
    expect(await signs()).toBe(true)
  },
)

test.skipIf(isSkipped(missing !== undefined)).each(['C_Logout', 'C_Finalize'] as const)(
  `a session that is dead until %s signs again without a restart ${missing ?? ''}`,
  async (deadUntil) => {
    expect(await signs()).toBe(true)
    const before = await child()
    await library.behave({ deadUntil })
    for (let tries = 0; tries < 2; tries += 1) {
      const failure = await failureOf(() => service.sign(someDigest, unaborted)).catch(() => undefined)
      if (failure) expect(failure).toMatchObject({ kind: 'transient', code: 'CKR_DEVICE_ERROR' })
    }
    expect(await signs()).toBe(true)
    expect(await child()).toBe(before)
    const calls = await library.calls()
    expect(named(calls, 'C_Finalize')).toEqual(deadUntil === 'C_Logout' ? [] : ['C_Finalize 0'])
    expect(named(calls, 'C_Logout')).toEqual(['C_Logout 0'])
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `the process ends during a C_Sign that hangs, and another one logs in ${missing ?? ''}`,
  async () => {
    expect(await signs()).toBe(true)
    const before = await child()
    await library.behave({ hangs: true })
    expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({
      ...{ kind: 'transient', code: 'CHILD_ENDED' },
    })
    await library.behave({})
    expect(await signs()).toBe(true)
    expect(await child()).not.toBe(before)
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `a login without an answer counts as refused ${missing ?? ''}`,
  async () => {
    await library.behave({ login: 'crashes' })
    const failures = [await failureOf(() => service.open(unaborted)), await failureOf(() => service.open(unaborted))]
    expect(failures.map(({ kind, code }) => [kind, code])).toEqual([
      ['transient', 'CHILD_ENDED'],
      ['permanent', 'LOGIN_UNANSWERED'],
    ])
    await service.close?.()
    service = await open()
    expect(await failureOf(() => service.open(unaborted))).toMatchObject({ code: 'LOGIN_UNANSWERED' })
    expect(named(await library.calls(), 'C_Login')).toHaveLength(1)
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `a login that hangs does not end the process ${missing ?? ''}`,
  async () => {
    await library.behave({ login: 'hangs' })
    const opening = service.open(unaborted).catch((error: unknown) => error)
    await vi.waitFor(async () => expect(named(await library.calls(), 'C_Login')).toHaveLength(1), patience)
    expect(await service.open(AbortSignal.timeout(6_000)).catch((error: unknown) => error)).toMatchObject({
      code: 'ABORTED',
    })
    process.kill(await child(), 0)
    await service.close?.()
    expect(await opening).toMatchObject({ code: 'CHILD_ENDED' })
  },
)

test.skipIf(isSkipped(missing !== undefined))(
  `the PIN is in no argument, environment or title ${missing ?? ''}`,
  async () => {
    expect(await signs()).toBe(true)
    const folder = `/proc/${await child()}`
    const files = ['cmdline', 'environ', 'comm'].map((file) => readFile(`${folder}/${file}`, 'utf8'))
    const texts = await Promise.all(files)
    expect(texts.join('\n')).not.toContain(hsm.pin)
    // Its own settings are there.
    expect(texts[1]).toContain(`SOFTHSM2_CONF=${hsm.configFile}`)
  },
)

test.skipIf(isSkipped(missing !== undefined)).each([{ login: 'hangs' }, { hangs: true }] as const)(
  `a process that is killed takes its child with it: %o ${missing ?? ''}`,
  async (behavior) => {
    await library.behave(behavior)
    const signing = fileURLToPath(new URL('./support/sign-until-killed.ts', import.meta.url))
    const parent = fork(signing, [], { env: { ...process.env, MODULE: library.module, PIN: hsm.pin } })
    const call = 'login' in behavior ? 'C_Login' : 'C_Sign'
    await vi.waitFor(async () => expect(named(await library.calls(), call)).toHaveLength(1), patience)
    expect(await childrenWith(library.module)).toHaveLength(1)
    parent.kill('SIGKILL')
    await vi.waitFor(async () => expect(await childrenWith(library.module)).toEqual([]), patience)
  },
)
