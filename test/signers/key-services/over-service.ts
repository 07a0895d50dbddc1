// A signer over a key service, with the real clock, and its signatures.
import { expect } from 'vitest'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { noMetrics } from '../../../src/ops/metrics.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import type { KeyService } from '../../../src/signers/key-service.ts'
import { openRemoteSigner } from '../../../src/signers/remote/open-remote-signer.ts'
import { openQuotaQueues } from '../../../src/signers/remote/quota-queue.ts'
import type { Signer } from '../../../src/signers/signer.ts'
import type { FakeService } from '../../../tooling/key-services/fake-service.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'
import { listeningLog } from '../workplace.ts'

/** Longer than a call may take, and shorter than what is taken for a request that hangs. */
const slowMs = 2_400
export const key = servedKey()

const slowdown = 10
const tickMs = 10

export interface SlowClock extends ManualClock, Disposable {}

/**
 * Ten times as slow as the machine's clock, so that a busy machine keeps the limits with many calls at once. A test moves it on where a
 * limit has to pass.
 */
export function slowClock(): SlowClock {
  const clock = manualClock()
  let lastMs = performance.now()
  const ticking = setInterval(() => {
    const nowMs = performance.now()
    clock.advance((nowMs - lastMs) / slowdown)
    lastMs = nowMs
  }, tickMs)
  return Object.assign(clock, { [Symbol.dispose]: () => clearInterval(ticking) })
}

export async function signerOver(service: KeyService, clock: Clock = systemClock) {
  const { log, warnings } = listeningLog()
  const calls: string[] = []
  const context = { clock, random: systemRandom(), log, curve: viemCurve }
  const signer = await openRemoteSigner(
    { id: 'key', service },
    {
      ...context,
      quotas: openQuotaQueues(clock),
      metrics: { ...noMetrics.signers, called: (_, result) => calls.push(result) },
      storedAddress: async () => undefined,
    },
  )
  expect(signer.address).toBe(key.address)
  return { signer, warnings, calls }
}

let nonce = 0

export function sign(signer: Signer, count = 1, clock: Clock = systemClock): Promise<readonly unknown[]> {
  const fees = { kind: 'legacy', gasPrice: 7n } as const
  const one = () => {
    nonce += 1
    const unsigned = { chainId: 1, nonce, gasLimit: 21_000, to: key.address, value: 5n, data: '0x', fees } as const
    return signer.sign(unsigned, { priority: 'cancel', deadline: clock.now() + 10_000 })
  }
  return Promise.all(Array.from({ length: count }, one))
}

/** Signs while the service takes 2.4 seconds of the clock for the token that it hands out at `where`. */
export async function signOverToken(
  { signer, clock, fake, where }: { signer: Signer; clock: SlowClock; fake: FakeService; where: string },
  count: number,
): Promise<void> {
  const before = requests(fake, where)
  const release = fake.hold(where)
  const signing = sign(signer, count, clock)
  await expect.poll(() => requests(fake, where)).toBe(before + 1)
  clock.advance(slowMs)
  release()
  await signing
}

export const requests = ({ requests: all }: FakeService, where: string) =>
  all.filter(({ path }) => path.includes(where)).length
