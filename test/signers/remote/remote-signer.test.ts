// A signer over a key service: what it signs, how often it tries, and what stops it.
import {
  keccak256,
  recoverMessageAddress,
  recoverTransactionAddress,
  serializeSignature,
  stringToHex,
  type TransactionSerialized,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/domain/ids.ts'
import { noMetrics } from '../../../src/ops/metrics.ts'
import { openCurve } from '../../../src/signers/curve.ts'
import { pinCodes } from '../../../src/signers/failure-table.ts'
import { KeyServiceError, type KeyServiceErrorKind } from '../../../src/signers/key-service.ts'
import {
  openOrAwait,
  openRemoteSigner,
  type RemoteContext,
  type RemoteSettings,
} from '../../../src/signers/remote/open-remote-signer.ts'
import { openQuotaQueues } from '../../../src/signers/remote/quota-queue.ts'
import type { Signer, UnsignedTransaction } from '../../../src/signers/signer.ts'
import { type MemoryKeyService, memoryKeyService } from '../../../tooling/memory-key-service.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { quiescence } from '../../support/settled.ts'
import { listeningLog } from '../workplace.ts'

const key = new Uint8Array(32).fill(0x46)
const address = privateKeyToAddress(`0x${'46'.repeat(32)}`)
const other = privateKeyToAddress(`0x${'47'.repeat(32)}`)
const unsigned: UnsignedTransaction = {
  ...{ chainId: 1, nonce: 3, gasLimit: 21_000, to: address, value: 5n, data: '0x' },
  fees: { kind: 'legacy', gasPrice: 7n },
}

interface Given {
  readonly service?: MemoryKeyService
  readonly address?: Address
  readonly stored?: Address
}

function open(given: Given = {}) {
  return openBy(openRemoteSigner, given)
}

async function openBy<T>(
  openKey: (settings: RemoteSettings, context: RemoteContext) => Promise<T>,
  { service = memoryKeyService(key), stored, ...given }: Given,
) {
  const clock = manualClock()
  const { log, lines, warnings } = listeningLog()
  const calls: string[] = []
  const available: boolean[] = []
  const known = { address: stored }
  const opening = openKey(
    { id: 'kms', service, ...(given.address && { address: given.address }) },
    {
      ...{ clock, log, curve: await openCurve(listeningLog().log), quotas: openQuotaQueues(clock) },
      random: { bytes: (length) => new Uint8Array(length) },
      metrics: {
        ...noMetrics.signers,
        called: (_, result) => calls.push(result),
        available: (_, isAvailable) => available.push(isAvailable),
      },
      storedAddress: async () => known.address,
    },
  )
  return { clock, service, lines, warnings, calls, available, known, opening }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Lets time pass until the promise is settled. */
async function settle<T>(
  { clock }: Pick<Opened, 'clock'>,
  promise: Promise<T>,
  stepMs = 50,
  steps = 400,
): Promise<T | Error> {
  let result: T | Error | undefined
  promise.then(
    (value) => {
      result = value
    },
    (error: Error) => {
      result = error
    },
  )
  for (let count = 0; count < steps && result === undefined; count += 1) {
    await quiescence()
    if (result === undefined) clock.advance(stepMs)
  }
  if (result === undefined) throw new Error('never settled')
  return result
}

const fails = (kind: KeyServiceErrorKind, code: string) => async () => {
  throw new KeyServiceError('the service refuses', { kind, code })
}

function signWith(opened: Pick<Opened, 'clock'>, signer: Signer, ms = 10_000) {
  return settle(opened, signer.sign(unsigned, { priority: 'payload', deadline: opened.clock.now() + ms }))
}

test('it signs transactions and messages as its pinned key, in both encodings, and logs each signature', async () => {
  const opened = await open()
  const signer = await opened.opening
  expect(signer.address).toBe(address)
  const requests = ['request-2', 'request-3', 'request-4', 'request-5']
  for (const _ of requests) {
    const signed = await signer.sign(unsigned, { priority: 'payload', deadline: opened.clock.now() + 1_000 })
    const serializedTransaction = signed.raw as TransactionSerialized
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address)
  }
  const logged = opened.lines.filter(({ message }) => message === 'the key service signed')
  expect(logged.slice(1)).toMatchObject(
    requests.map((request_id) => ({ facts: { signer: 'kms', key_version: 'memory/1', request_id } })),
  )
  const signature = await signer.signStatement({ kind: 'message', bytes: '0x68656c6c6f' })
  const serialized = serializeSignature({ r: signature.r, s: signature.s, v: BigInt(signature.v) })
  expect(await recoverMessageAddress({ message: 'hello', signature: serialized })).toBe(address)
})

test('throttled and transient calls are tried again until they sign', async () => {
  const opened = await open()
  const signer = await opened.opening
  const answers = [fails('throttled', 'Throttling'), fails('transient', 'KMSInternal'), async () => {}]
  opened.service.beforeSigning = async () => answers.shift()?.()
  expect(await signWith(opened, signer)).toMatchObject({ hash: expect.any(String) })
  expect(opened.calls).toEqual(['signed', 'throttled', 'transient', 'signed'])
})

test('a call that hangs is ended after two seconds, and the deadline ends the tries', async () => {
  const opened = await open()
  const signer = await opened.opening
  const ended: number[] = []
  opened.service.beforeSigning = (signal) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        ended.push(opened.clock.elapsed())
        reject(new Error('ended'))
      }),
    )
  expect(await signWith(opened, signer, 5_000)).toMatchObject({ name: 'SignerUnavailable', code: 'Timeout' })
  expect(ended.map((ms) => Math.round(ms / 1_000))).toEqual([2, 4, 5])
})

test('a token that takes longer than a call delays the signature, and is no failure of the service', async () => {
  const opened = await open()
  const signer = await opened.opening
  const renewal = Promise.withResolvers<void>()
  opened.service.ready = () => renewal.promise
  void opened.clock.sleep(4_000).then(renewal.resolve)
  const both = await Promise.all(Array.from({ length: 6 }, () => signWith(opened, signer)))
  for (const signed of both) expect(signed).toHaveProperty('raw')
  expect(opened.warnings).toEqual([])
  expect(new Set(opened.calls)).toEqual(new Set(['signed']))
})

test('calls that wait for a token which was refused are no failures of the service', async () => {
  const opened = await open()
  const signer = await opened.opening
  const renewal = Promise.withResolvers<void>()
  let isAwaited = true
  void opened.clock.sleep(4_000).then(() => {
    isAwaited = false
    renewal.resolve()
  })
  Object.assign(opened.service, { awaitsToken: () => isAwaited })
  opened.service.beforeSigning = () => renewal.promise
  let tries = 0
  // The first tries have a token, which is refused.
  opened.service.ready = async () => {
    tries += 1
    if (tries > 6) await renewal.promise
  }
  const signing = Array.from({ length: 6 }, () =>
    signer.sign(unsigned, { priority: 'payload', deadline: opened.clock.now() + 10_000 }),
  )
  expect(await settle(opened, Promise.all(signing))).toHaveLength(6)
  expect(opened.warnings).toEqual([])
  expect(new Set(opened.calls)).toEqual(new Set(['signed', 'pending']))
})

test('a token that does not come before the deadline does not open the breaker', async () => {
  const opened = await open()
  const signer = await opened.opening
  opened.service.ready = () => new Promise(() => undefined)
  for (let count = 0; count < 6; count += 1) {
    expect(await signWith(opened, signer, 1_000)).toMatchObject({ code: 'TOKEN_PENDING', isPermanent: false })
  }
  expect(signer.remote?.outage()).toBeUndefined()
  opened.service.ready = async () => {}
  expect(await signWith(opened, signer)).toHaveProperty('raw')
})

test('after a long outage the next try comes within two seconds', async () => {
  const opened = await open()
  const signer = await opened.opening
  opened.service.beforeSigning = fails('transient', 'KMSInternal')
  for (let count = 0; count < 20; count += 1) {
    await signWith(opened, signer)
    opened.clock.advance(2_000)
  }
  opened.service.beforeSigning = async () => {}
  expect(await signWith(opened, signer)).toHaveProperty('raw')
})

test('a clock that differs from the key service is logged with its offset', async () => {
  const opened = await open()
  const signer = await opened.opening
  const failures = [{ kind: 'transient', code: 'InvalidSignatureException', clockAheadMs: 600_000 }] as const
  const answers = failures.map((facts) => new KeyServiceError('ahead', facts))
  opened.service.beforeSigning = async () => {
    const failure = answers.shift()
    if (failure) throw failure
  }
  expect(await signWith(opened, signer)).toHaveProperty('raw')
  expect(opened.warnings).toMatchObject([{ facts: { signer: 'kms', clock_ahead_ms: 600_000 } }])
})

test('a permanent failure opens the breaker at once; later one call tries, and closes it', async () => {
  const opened = await open()
  const signer = await opened.opening
  opened.service.beforeSigning = fails('permanent', 'AccessDenied')
  expect(await signWith(opened, signer)).toMatchObject({ code: 'AccessDenied', isPermanent: true })
  expect(signer.remote?.outage()).toMatchObject({ code: 'AccessDenied', isPermanent: true })
  expect(opened.warnings).toMatchObject([{ facts: { signer: 'kms', code: 'AccessDenied', permanent: true } }])
  const { calls } = opened.service
  expect(await signWith(opened, signer)).toMatchObject({ code: 'AccessDenied' })
  expect(opened.service.calls).toBe(calls)

  opened.clock.advance(15_000)
  expect(signer.remote?.outage()).toBeUndefined()
  opened.service.beforeSigning = async () => {}
  const both = Promise.all([signWith(opened, signer), signWith(opened, signer)])
  for (const signed of await both) expect(signed).toHaveProperty('raw')
  expect(opened.available).toEqual([true, false, true])
})

test('credentials that are refused after a signature are tried every two seconds for ten minutes, then every minute', async () => {
  const opened = await open()
  const { clock, service } = opened
  const signer = await opened.opening
  service.beforeSigning = fails('credentials', 'UnrecognizedClientException')
  /** The calls while the owner signs again as soon as it may. */
  const callsIn = async (ms: number) => {
    const [before, untilMs] = [service.calls, clock.elapsed() + ms]
    while (clock.elapsed() < untilMs) {
      expect(await signWith(opened, signer)).toMatchObject({ isPermanent: true })
      clock.advance((signer.remote?.outage()?.retryAt ?? 0) - clock.now())
    }
    return service.calls - before
  }
  expect(await callsIn(600_000)).toBe(301)
  expect(await callsIn(600_000)).toBe(10)
  service.beforeSigning = async () => {}
  expect(await signWith(opened, signer)).toHaveProperty('raw')
  service.beforeSigning = fails('credentials', 'UnrecognizedClientException')
  expect(await callsIn(600_000)).toBe(301)
})

test.each(pinCodes)('%s: the PIN is tried once in the life of the process', async (code) => {
  const opened = await open()
  const signer = await opened.opening
  opened.service.beforeSigning = fails('permanent', code)
  await signWith(opened, signer)
  const { calls } = opened.service
  for (let count = 0; count < 3; count += 1) {
    opened.clock.advance(86_400_000)
    expect(await signWith(opened, signer)).toMatchObject({ code, isPermanent: true })
    expect(signer.remote?.outage()).toMatchObject({ code, isPermanent: true })
  }
  expect(opened.service.calls).toBe(calls)
})

test('a signature that people have to approve fails at once with its activity, and others are signed meanwhile', async () => {
  const opened = await open()
  const signer = await opened.opening
  const facts = { kind: 'approval', code: 'CONSENSUS_NEEDED', activity: '7-a' } as const
  opened.service.beforeSigning = async () => {
    throw new KeyServiceError('people have to approve it', facts)
  }
  for (let count = 0; count < 6; count += 1) {
    const refused = await signWith(opened, signer)
    expect(refused).toMatchObject({ code: 'CONSENSUS_NEEDED', isPermanent: true, activity: '7-a' })
  }
  expect(signer.remote?.outage()).toBeUndefined()
  expect(signer.remote?.isAvailable()).toBe(true)
  expect(opened.calls.slice(0, 3)).toEqual(['signed', 'approval', 'approval'])
  opened.service.beforeSigning = async () => {}
  expect(await signWith(opened, signer)).toHaveProperty('raw')
})

test('a signer whose first signature people have to approve starts, also if it has never worked', async () => {
  const service = memoryKeyService(key)
  service.beforeSigning = fails('approval', 'CONSENSUS_NEEDED')
  const opened = await open({ service })
  const signer = await opened.opening
  expect(signer).toMatchObject({ address })
  expect(signer.remote?.outage()).toMatchObject({ code: 'CONSENSUS_NEEDED', isPermanent: false })
  service.beforeSigning = async () => {}
  opened.clock.advance(1_000)
  expect(await signWith(opened, signer)).toHaveProperty('raw')
})

test('a signature of another key is never used: an alarm, and the breaker opens', async () => {
  const opened = await open()
  const signer = await opened.opening
  opened.service.signsWith = new Uint8Array(32).fill(0x47)
  expect(await signWith(opened, signer)).toMatchObject({ code: 'WrongKey', isPermanent: true })
  expect(opened.lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/not of the pinned key/))
  expect(opened.calls).toEqual(['signed', 'wrong'])
  expect(signer.remote?.outage()).toMatchObject({ code: 'WrongKey' })
})

test.each<[string, Given, string, RegExp]>([
  ['another address than the configured one', { address: other }, 'none', /its "address" is 0x.*; correct the key/],
  ['another address than the stored one', { stored: other }, 'none', /stored with 0x.*; name the earlier key/],
  ['no permission to read', {}, 'opening', /the service refuses \(AccessDenied\)/],
  ['no permission to sign', {}, 'signing', /the service refuses \(AccessDenied\)/],
])('%s stops the start', async (_, given, stage, message) => {
  const service = memoryKeyService(key)
  if (stage === 'opening') service.beforeOpening = fails('permanent', 'AccessDenied')
  if (stage === 'signing') service.beforeSigning = fails('permanent', 'AccessDenied')
  const opened = await open({ service, ...given })
  const failure = await settle(opened, opened.opening)
  expect(failure).toMatchObject({ name: 'SignerError', message: expect.stringMatching(message) })
  expect(service.isClosed).toBe(true)
})

test.each([...['AccessDeniedException', 'DisabledException', 'HTTP_403', 'CKR_PIN_INCORRECT', 'NO_CREDENTIALS']])(
  '%s leaves a signer that relayers are stored with unavailable, and the service starts',
  async (code) => {
    for (const stage of ['beforeOpening', 'beforeSigning'] as const) {
      const service = memoryKeyService(key)
      service[stage] = fails('permanent', code)
      const opened = await open({ service, stored: address })
      const signer = await opened.opening
      expect(signer.address).toBe(address)
      expect(signer.remote?.outage()).toMatchObject({ code, isPermanent: true })
      expect(service.isClosed).toBe(false)
      service[stage] = async () => {}
      opened.clock.advance(15_000)
      const signed = await signWith(opened, signer)
      if (code !== 'CKR_PIN_INCORRECT') expect(signed).toHaveProperty('raw')
    }
  },
)

test.each(['WRONG_CURVE', 'INVALID_PUBLIC_KEY', 'InvalidKeyUsageException', 'MODULE_NOT_LOADED'])(
  '%s stops the start, also where relayers are stored',
  async (code) => {
    const service = memoryKeyService(key)
    service.beforeOpening = fails('permanent', code)
    const opened = await open({ service, stored: address })
    expect(await settle(opened, opened.opening)).toMatchObject({ name: 'SignerError' })
    expect(service.isClosed).toBe(true)
  },
)

test('a service that is down at start leaves the signer unavailable, with its stored address', async () => {
  const service = memoryKeyService(key)
  service.beforeOpening = fails('transient', 'ECONNREFUSED')
  const unknown = await open({ service })
  expect(await settle(unknown, unknown.opening)).toMatchObject({
    name: 'SignerError',
    message: expect.stringMatching(/does not answer \(ECONNREFUSED\), .*set "address"/),
  })
  const opened = await open({ service, stored: address })
  const signer = await opened.opening
  expect(signer.address).toBe(address)
  expect(signer.remote?.outage()).toMatchObject({ code: 'ECONNREFUSED', isPermanent: false })
  service.beforeOpening = async () => {}
  opened.clock.advance(1_000)
  expect(await signWith(opened, signer)).toHaveProperty('raw')
})

/** Of a service that does not answer, while nothing shows the address. */
async function openAwaited(service: MemoryKeyService) {
  service.beforeOpening = fails('transient', 'ECONNREFUSED')
  const opened = await openBy(openOrAwait, { service })
  const awaited = await settle(opened, opened.opening)
  if (!('tryAgain' in awaited)) throw new Error('it is not awaited')
  return { ...opened, awaited }
}

async function tried({ clock, awaited }: Awaited<ReturnType<typeof openAwaited>>) {
  const ended = await settle(
    { clock },
    awaited.tryAgain().then((signer) => ({ signer })),
  )
  return 'signer' in ended ? ended.signer : undefined
}

test.each([true, false])(
  'a signer without a known address opens when its service answers, probed: %s',
  async (canProbe) => {
    const opened = await openAwaited(memoryKeyService(key, { canProbe }))
    const { service, awaited } = opened
    expect(awaited.code()).toBe('ECONNREFUSED')
    expect(service.isClosed).toBe(false)
    opened.clock.advance(2_000)
    service.beforeOpening = fails('transient', 'HTTP_502')
    expect(await tried(opened)).toBeUndefined()
    expect(awaited.code()).toBe('HTTP_502')
    service.beforeOpening = async () => {}
    // The breaker's pause is not over, so nothing is called.
    expect(await tried(opened)).toBeUndefined()
    expect(service.calls).toBe(0)
    opened.clock.advance(2_000)
    const signer = await tried(opened)
    expect(signer).toMatchObject({ address })
    expect(signer?.remote?.isAvailable()).toBe(true)
    expect(service.calls).toBe(canProbe ? 1 : 0)
  },
)

test('a signer that another replica has stored opens while its service does not answer this one', async () => {
  const opened = await openAwaited(memoryKeyService(key))
  opened.known.address = address
  const signer = await tried(opened)
  expect(signer).toMatchObject({ address })
  expect(signer?.remote?.isAvailable()).toBe(false)
  opened.known.address = other
  opened.service.beforeOpening = async () => {}
  opened.clock.advance(2_000)
  const misled = await tried(opened)
  if (!misled) throw new Error('it did not open')
  expect(await signWith(opened, misled)).toMatchObject({ code: 'AddressMismatch' })
})

test('a signer whose key was read, and whose first signature fails for a moment, is unavailable and has its address', async () => {
  const service = memoryKeyService(key)
  service.beforeSigning = fails('transient', 'HTTP_503')
  const opened = await open({ service })
  expect(await settle(opened, opened.opening)).toMatchObject({ address })
})

test('a start without a stored address waits some seconds for the service', async () => {
  const service = memoryKeyService(key)
  const answers = [1, 2, 3].map(() => fails('transient', 'IDPCommunicationError'))
  service.beforeOpening = async () => answers.shift()?.()
  const opened = await open({ service })
  expect(await settle(opened, opened.opening)).toMatchObject({ address })
})

test.each<[string, KeyServiceErrorKind, 'beforeOpening' | 'beforeSigning', Partial<MemoryKeyService>]>([
  ['NotFoundException', 'permanent', 'beforeOpening', {}],
  ['login HTTP_403', 'credentials', 'beforeOpening', {}],
  ['login HTTP_503', 'transient', 'beforeOpening', { countsLogins: true }],
  ['login HTTP_404', 'credentials', 'beforeOpening', { countsLogins: true }],
  ['AccessDeniedException', 'credentials', 'beforeSigning', {}],
])('the first start of the process goes on after %s (%s, %s)', async (code, kind, stage, traits) => {
  const service = Object.assign(memoryKeyService(key), traits)
  service[stage] = fails(kind, code)
  const opened = await openBy(openOrAwait, { service })
  void opened.clock.sleep(5_000).then(() => {
    service[stage] = async () => {}
  })
  expect(await settle(opened, opened.opening)).toMatchObject({ address })
  const refusing = memoryKeyService(key)
  refusing[stage] = fails(kind, code)
  const failing = await openBy(openOrAwait, { service: refusing })
  await settle(failing, failing.opening)
  expect(failing.clock.elapsed()).toBeGreaterThanOrEqual(6_000)
  expect(failing.clock.elapsed()).toBeLessThanOrEqual(8_000)
})

test.each<[string, Partial<MemoryKeyService>]>([
  ['CKR_PIN_INCORRECT', {}],
  ['WRONG_CURVE', {}],
  ['login HTTP_403', { countsLogins: true }],
])('the first start ends after one %s, whose next try is not free or in vain', async (code, traits) => {
  const service = Object.assign(memoryKeyService(key), traits)
  let tries = 0
  service.beforeOpening = async () => {
    tries += 1
    throw new KeyServiceError('refused', { kind: 'permanent', code })
  }
  const opened = await openBy(openOrAwait, { service })
  expect(await settle(opened, opened.opening)).toMatchObject({ name: 'SignerError' })
  expect(tries).toBe(1)
})

test('a key that turns out to be another one after such a start signs nothing', async () => {
  const service = memoryKeyService(key)
  service.beforeOpening = fails('transient', 'ECONNREFUSED')
  const opened = await open({ service, stored: other })
  const signer = await opened.opening
  service.beforeOpening = async () => {}
  opened.clock.advance(1_000)
  expect(await signWith(opened, signer)).toMatchObject({ code: 'AddressMismatch', isPermanent: true })
  expect(service.calls).toBe(0)
})

test('its connection ends with it, and a failure of that ends nothing else', async () => {
  const opened = await open()
  const signer = await opened.opening
  expect(opened.service.isClosed).toBe(false)
  await signer.close?.()
  expect(opened.service.isClosed).toBe(true)
  opened.service.close = async () => {
    throw new Error('gone already')
  }
  await signer.close?.()
  expect(opened.warnings).toMatchObject([{ facts: { signer: 'kms' } }])
})

test('a probe signs as the opening did, and shows how long it took, the end of the token and the clock', async () => {
  const service = Object.assign(memoryKeyService(key), { tokenEndsInMs: () => 60_000, clockAheadMs: () => -5_000 })
  const opened = await open({ service })
  const signer = await opened.opening
  const digests: string[] = []
  const { sign } = service
  service.sign = (request, signal) => {
    digests.push(request.digest)
    return sign(request, signal)
  }
  service.beforeSigning = () => opened.clock.sleep(700)
  const probe = await settle(opened, signer.probe?.() ?? Promise.reject(new Error('no probe')))
  expect(probe).toEqual({
    ...{ keyVersion: 'memory/1', latencyMs: 700, tokenEndsInMs: 60_000, clockAheadMs: -5_000 },
  })
  expect(digests).toEqual([keccak256(stringToHex('\x19Rescind:\nthis signature shows that the key can be used'))])
  service.beforeSigning = fails('permanent', 'AccessDenied')
  expect(await settle(opened, signer.probe?.() ?? Promise.reject(new Error('no probe')))).toMatchObject({
    code: 'AccessDenied',
  })
  const unasked = await open({ service: memoryKeyService(key, { canProbe: false }) })
  expect((await unasked.opening).probe).toBeUndefined()
})

test('where a person approves each signature, nothing is signed at start', async () => {
  const opened = await open({ service: memoryKeyService(key, { canProbe: false }) })
  await opened.opening
  expect(opened.service.calls).toBe(0)
})
