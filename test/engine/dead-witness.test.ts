// A real chain by two providers, of which one is gone: `confirmed` waits for its word for a minute, and for the first transaction only.
import { expect, test } from 'vitest'
import type { TransactionId } from '../../src/domain/ids.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import { startAnvil } from '../../tooling/anvil.ts'
import { startRpcServer } from '../../tooling/rpc-server.ts'
import { networkOver } from '../chain/network-under-test.ts'
import { somePolicy } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from './workplace.ts'

/** The wait for a second word, and the longest time between two readings. */
const [silentMs, readingMs] = [60_000, 5_000]

test('with one of two providers gone, confirmed comes a minute late, once', async () => {
  await using anvil = await startAnvil({ mining: 'manual' })
  const gone = await startRpcServer({ forwardTo: anvil.url })
  await anvil.mine(3)
  await using place = await openWorkplace()
  const { clock } = place
  await using network = networkOver([anvil.url, gone.url], { clock, averageBlocktimeMs: 12_000 })
  const policy = { ...somePolicy, requiredConfirmations: 2, finality: 'finalized', secondWitness: 'prefer' } as const
  const context = { ...place.context, chainOf: () => network.chain, policyOf: () => policy }
  const ownership = await place.own()
  const look = () => step(context, ownership, nothingUnknown, noneHanging)
  const statusAfter = async (id: TransactionId) => {
    await look()
    return statusOf(await place.read(id))
  }

  /** By the clock: from the block with the required confirmations on. */
  async function lateMs(id: TransactionId): Promise<number> {
    await look()
    await anvil.mine(1)
    await look()
    expect(await statusAfter(id)).toBe('mined')
    await anvil.mine(1)
    const since = clock.elapsed()
    while ((await statusAfter(id)) !== 'confirmed') {
      if (clock.elapsed() - since > 10 * silentMs) throw new Error('it is never confirmed')
      clock.advance(1_000)
    }
    return clock.elapsed() - since
  }

  expect(await lateMs(await place.send()), 'while both answer').toBe(0)
  await gone.stop()
  const first = await lateMs(await place.send())
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThanOrEqual(silentMs + readingMs)
  expect(await lateMs(await place.send()), 'the next').toBe(0)
  expect(await lateMs(await place.send()), 'and the one after it').toBe(0)
})
