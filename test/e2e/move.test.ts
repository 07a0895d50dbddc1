// The steps of docs/moving-from-openzeppelin.md, on real pools that hold transactions of the account which another service signed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { minedFrom, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { spendBehindItsBack } from './support/foreign.ts'
import { mineUntil, payTimes, view } from './support/play.ts'
import { type AnyStage, anvilStage, hardhatStage } from './support/stage.ts'

const gwei = 1_000_000_000n
/** Above the first base fee, so that a pool takes it, and below the later one. */
const stuckCap = 3n * gwei

interface Foreign {
  readonly nonce: number
  readonly hash: string
}

/** Steps 4 and 5: it starts paused beside what the old service left, and says what that is. */
async function startBeside(
  stage: AnyStage,
  id: string,
  caps: readonly bigint[],
  seen = caps.length,
): Promise<readonly Foreign[]> {
  const sender = stage.sender(id)
  await stage.client.request('PATCH', `/relayers/${id}`, { body: { paused: true } })
  await stage.service.stop()
  const left: Foreign[] = []
  for (const [nonce, cap] of caps.entries()) {
    left.push({ nonce, hash: await spendBehindItsBack(stage.node, sender, nonce, cap) })
  }
  if (caps.includes(stuckCap)) await raiseBaseFee(stage)
  await stage.service.restart()
  const reported = await until(() => foreignOf(stage, id), { what: () => stage.service.logs() })
  expect(reported).toMatchObject({ count: seen, pending_nonce: seen })
  expect(reported.transactions.map(({ nonce }) => nonce)).toEqual(left.slice(0, seen).map(({ nonce }) => nonce))
  for (const { nonce, hash } of reported.transactions) if (hash) expect(hash).toBe(left[nonce]?.hash)
  await until(() => stage.service.logs().includes('that this service did not sign'), { what: 'the line of the log' })
  return left
}

async function raiseBaseFee({ node }: AnyStage): Promise<void> {
  const fee = `0x${(100n * gwei).toString(16)}`
  const [anvil, hardhat] = ['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'] as const
  await node.rpc(anvil, [fee]).catch(() => node.rpc(hardhat, [fee]))
}

async function foreignOf(stage: AnyStage, id: string) {
  const { body } = await stage.client.request('GET', `/relayers/${id}/status`)
  const { foreign_pending: foreign } = (body as { readonly data: { readonly foreign_pending?: ForeignBody } }).data
  return foreign
}

interface ForeignBody {
  readonly count: number
  readonly pending_nonce: number
  readonly transactions: readonly { readonly nonce: number; readonly hash?: string }[]
}

const chains = [
  // How many of three its count shows where the second is stuck: Hardhat counts those that the next block would take.
  ['anvil', 3, (relayers: Record<string, Record<string, unknown>>) => anvilStage({ relayers })],
  [
    'Hardhat, whose pool is strict',
    1,
    (relayers: Record<string, Record<string, unknown>>) => hardhatStage({ relayers }),
  ],
] as const

describe.each(chains)('on %s', (_, seen, open) => {
  let stage: AnyStage & AsyncDisposable
  beforeAll(async () => {
    stage = await open({ draining: {}, stuck: {} })
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('three that are mined as they are: ours follow, and each nonce is accounted for', async () => {
    const sender = stage.sender('draining')
    const left = await startBeside(stage, sender.id, [500n * gwei, 500n * gwei, 500n * gwei])
    await mineUntil(stage, 'the pool to drain', async () => (await foreignOf(stage, sender.id)) === undefined)
    await stage.client.request('PATCH', `/relayers/${sender.id}`, { body: { paused: false } })
    const payments = await payTimes(stage, sender, 2)
    await mineUntil(stage, 'both', async () => {
      const views = await Promise.all(payments.map((payment) => view(stage, payment)))
      return views.every(({ status }) => status === 'confirmed')
    })
    const mined = await audit(stage, sender, 3)
    expect(mined.slice(0, 3).map(({ nonce, hash }) => ({ nonce, hash }))).toEqual(left)
    expect(mined.slice(3).map(({ to }) => to.toLowerCase())).toEqual(payments.map(({ to }) => to.toLowerCase()))
  })

  test('one that no block takes: its nonce goes to the service, and each nonce is accounted for', async () => {
    const sender = stage.sender('stuck')
    const left = await startBeside(stage, sender.id, [500n * gwei, stuckCap, 500n * gwei], seen)
    await stage.client.request('PATCH', `/relayers/${sender.id}`, { body: { paused: false } })
    const payments = await payTimes(stage, sender, 2)
    await mineUntil(stage, 'both', async () => {
      const views = await Promise.all(payments.map((payment) => view(stage, payment)))
      return views.every(({ status }) => status === 'confirmed')
    })
    const before = await minedFrom(stage.node, sender.address)
    const foreign = before.filter(({ hash }) => left.some((each) => each.hash === hash))
    const mined = await audit(stage, sender, foreign.length)
    // Once the service uses the nonce of the stuck one, it may use that of the one behind it, too.
    expect([[0], [0, 2]]).toContainEqual(foreign.map(({ nonce }) => nonce))
    expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index))
    // Each payload once.
    for (const { to } of payments) expect(mined.filter((each) => same(each.to, to))).toHaveLength(1)
    await until(async () => (await foreignOf(stage, sender.id)) === undefined, {
      ...{ limitMs: 60_000, what: 'a status without them' },
    })
  })
})
