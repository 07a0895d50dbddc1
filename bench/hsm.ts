// A token of an HSM that takes 700 ms for a signature: how many of 35 payloads that come together it signs before their deadline, and
// how soon a cancellation among them is signed. The library is SoftHSM behind one of the tests' own that waits.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/ops/clock.ts'
import { noMetrics } from '../src/ops/metrics.ts'
import { systemRandom } from '../src/ops/random.ts'
import { secret } from '../src/ops/secret.ts'
import { viemCurve } from '../src/signers/curve.ts'
import { openPkcs11 } from '../src/signers/pkcs11.ts'
import { openRemoteSigner } from '../src/signers/remote/open-remote-signer.ts'
import { openQuotaQueues } from '../src/signers/remote/quota-queue.ts'
import type { Signer } from '../src/signers/signer.ts'
import { servedKey } from '../tooling/key-services/served-key.ts'
import { type SlowCryptoki, startSlowCryptoki } from '../tooling/key-services/slow-cryptoki.ts'
import { type SoftHsm, startSoftHsm } from '../tooling/key-services/soft-hsm.ts'
import type { Figure } from './figure.ts'

const signMs = 700
const payloads = 35
const deadlineMs = 10_000

export async function measureHsm(): Promise<Figure[]> {
  await using hsm = await startSoftHsm()
  const figures: Figure[] = []
  for (const isSerial of [false, true]) {
    // A library for each run, because the service remembers how many signatures a library serves at once.
    await using library = await startSlowCryptoki(hsm.module)
    Object.assign(process.env, library.env, { SOFTHSM2_CONF: hsm.configFile })
    const label = isSerial ? 'serial' : 'parallel'
    await hsm.importKey(label, isSerial ? '02' : '01', servedKey().privateKey)
    await library.behave({ signMs, isSerial })
    const signer = await openSigner(hsm, library, label)
    const kind = isSerial ? 'one after the other' : 'several at once'
    figures.push(...(await measureOne(signer, `an HSM that signs ${kind}, in ${signMs} ms`)))
    await signer.close?.()
    // The abandoned signatures end meanwhile.
    await sleep(2_000)
  }
  return figures
}

async function measureOne(signer: Signer, name: string): Promise<Figure[]> {
  const began = performance.now()
  const signing = Array.from({ length: payloads }, (_, nonce) => sign(signer, nonce, 'payload'))
  await sleep(1_000)
  const canceling = sign(signer, payloads, 'cancel')
  const canceledMs = (await canceling) ?? Number.NaN
  const ended = (await Promise.all(signing)).filter((at) => at !== undefined)
  return [
    { name: `${name}: signed of ${payloads} within ${deadlineMs / 1_000} s`, value: ended.length, unit: '' },
    { name: '… until the last of them', value: Math.max(...ended) - began, unit: 'ms' },
    { name: '… a cancellation that comes a second later', value: canceledMs - began - 1_000, unit: 'ms' },
  ]
}

/** When it was signed; undefined if it was not. */
async function sign(signer: Signer, nonce: number, priority: 'payload' | 'cancel'): Promise<number | undefined> {
  const fees = { kind: 'legacy', gasPrice: 7n } as const
  const unsigned = { chainId: 1, nonce, gasLimit: 21_000, to: signer.address, value: 5n, data: '0x', fees } as const
  const deadline = Date.now() + deadlineMs
  return signer.sign(unsigned, { priority, deadline }).then(
    () => performance.now(),
    () => undefined,
  )
}

async function openSigner(hsm: SoftHsm, { module }: SlowCryptoki, keyLabel: string): Promise<Signer> {
  const { tokenLabel, pin } = hsm
  const settings = { module, tokenLabel, pin: secret(pin), keyLabel }
  const service = await openPkcs11({ id: 'hsm', type: 'pkcs11', ...settings }, { clock: systemClock })
  const silent = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false, child: () => silent }
  const context = { clock: systemClock, random: systemRandom(), log: silent, curve: viemCurve }
  return openRemoteSigner(
    { id: 'hsm', service },
    {
      ...context,
      quotas: openQuotaQueues(systemClock),
      metrics: noMetrics.signers,
      storedAddress: async () => undefined,
    },
  )
}
