// The service that holds the keys is down: work without a signature goes on, cancellations by pre-signed no-ops among it, and the
// rest says what it waits for.
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../../tooling/anvil.ts'
import { until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type FakeWeb3signer, startFakeWeb3signer } from '../../../tooling/key-services/fake-web3signer.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { balanceOf } from '../../../tooling/ledger.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'
import { readingOf, scrape } from '../../support/exposition.ts'
import { audit } from '../support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, payTimes, verdict, view } from '../support/play.ts'
import { anvilStage, type Stage } from '../support/stage.ts'

let signer: FakeWeb3signer
let stage: Stage<Anvil>

beforeAll(async () => {
  signer = await startFakeWeb3signer()
  const keys = [0, 1].map((index) => servedKey(devAccount(index).key))
  signer.keys.push(...keys)
  const [covered, bare] = keys.map(({ publicKey }) => ({
    ...{ type: 'web3signer', config: { url: signer.url, public_key: publicKey } },
  }))
  if (!covered || !bare) throw new Error('keys are missing')
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { covered: { presign_cancel: 2, max_in_flight: 3 }, bare: { max_in_flight: 2 }, other: {} },
    signers: { covered, bare },
    service: { env: { STORAGE_ENCRYPTION_KEY: randomBytes(32).toString('base64') } },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await signer?.[Symbol.asyncDispose]()
})

/** All requests fail from now on. */
const goDown = () => signer.failNext('', ...Array.from({ length: 10_000 }, () => 'drop' as const))

async function readings(id: string) {
  const exposition = await scrape(`${stage.service.metricsUrl}/metrics`)
  const of = (name: string, labels = {}) => readingOf(exposition, name, { signer: `signer-${id}`, ...labels })
  const failures = of('rescind_signer_calls_total', { result: 'permanent' }) ?? 0
  return { available: of('rescind_signer_available'), hasFailedForGood: failures > 0 }
}

/** As readiness counts them. */
async function relayersIn(): Promise<{ readonly ok: number; readonly waiting: number }> {
  const { body } = await request(`${stage.service.url}/api/v1/ready`)
  return ((await body.json()) as { data: { relayers: { ok: number; waiting: number } } }).data.relayers
}

/** Where the key of a relayer signs. */
const signPath = (id: string) => `/sign/0x${signer.keys[id === 'covered' ? 0 : 1]?.publicKey.slice(4)}`

const stored = () =>
  databaseIn(stage.service.directory).read<{ nonce: number; hash: string; sealed: string | null }>(
    'SELECT nonce, hash, sealed FROM presigned_no_ops ORDER BY nonce',
  )

test('down, killed and started again: covered cancellations win, queued ones drop, and nothing else waits', async () => {
  const [covered, bare, other] = ['covered', 'bare', 'other'].map((id) => stage.sender(id))
  if (!covered || !bare || !other) throw new Error('senders are missing')
  const payments = await payTimes(stage, covered, 5)
  const [first, second, third, fourth, fifth] = payments
  const [alone, behind] = await payTimes(stage, bare, 2)
  if (!first || !second || !third || !fourth || !fifth || !alone || !behind) throw new Error('payments are missing')
  await inPool(stage, covered, [0, 1, 2])
  await inPool(stage, bare, [0, 1])
  await until(() => stored().filter(({ sealed }) => sealed?.startsWith('v1.')).length === 6, { what: 'six no-ops' })
  for (const { id } of [first, second, third]) expect(stage.rows.attempts(id)).toHaveLength(1)

  // An error that only an operator can correct.
  signer.failNext(signPath('bare'), ...Array.from({ length: 100 }, () => ({ status: 403, body: 'forbidden' })))
  await cancel(stage, alone)
  const reasonOf = async (payment: typeof alone) => (await view(stage, payment)).status_reason ?? ''
  await until(async () => /signer "signer-bare" does not sign now \(HTTP_403\)/.test(await reasonOf(alone)), {
    what: 'the code in the reason',
  })
  expect(await readings('bare')).toEqual({ available: 0, hasFailedForGood: true })
  await until(async () => (await relayersIn()).waiting > 0, { what: 'the waiting relayer in readiness' })

  goDown()
  await cancel(stage, second)
  const noOp = await noOpInPool(stage, second)
  expect(stored().map(({ hash }) => hash)).toContain(noOp)
  expect(await stage.client.attempts('covered', second.id)).toMatchObject([
    { kind: 'execute' },
    { kind: 'cancel', hash: noOp, presigned: true },
  ])
  await stage.service.kill9()
  await stage.service.restart()
  const { queued_for_cancellation_transaction_ids: accepted } = await stage.client.cancelPending('covered')
  expect(accepted).toHaveLength(4)
  for (const payment of [fourth, fifth]) {
    expect(await verdict(stage, payment, () => true)).toMatchObject({ state: 'dropped', final: true })
  }
  for (const payment of [first, third]) await noOpInPool(stage, payment)
  await stage.client.cancelPending('bare')
  for (const payment of [alone, behind]) {
    const text = /^canceled; signer "signer-bare" does not sign now/
    await until(async () => text.test(await reasonOf(payment)), { what: 'the reason of a cancellation without no-ops' })
    expect(await verdict(stage, payment, () => true)).toMatchObject({ state: 'racing' })
  }
  // A relayer with a key of its own goes on meanwhile.
  const paid = await pay(stage, other)
  await mineUntil(stage, 'the payment of another', async () => (await view(stage, paid)).status === 'confirmed')
  await audit(stage, covered)
  for (const payment of [first, second, third]) {
    expect(await stage.client.cancellation('covered', payment.id)).toMatchObject({ state: 'won', final: true })
    expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  }
  expect(stored()).toEqual([])
  // The covered relayer has nothing to do, and its signer is still out.
  expect(await readings('covered')).toMatchObject({ available: 0 })
  await until(async () => (await relayersIn()).waiting === 2, { what: 'the idle relayer in readiness' })
  expect(await relayersIn()).toMatchObject({ ok: 1, waiting: 2 })
})
