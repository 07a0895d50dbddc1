// Calls to nodes are stored by network, those of a failed commit with the next, and the last at the end.
import { expect, test } from 'vitest'
import { periodMs, periodOf } from '../../src/domain/figures.ts'
import { noChainMetrics } from '../../src/ops/metrics.ts'
import { recordNodeCalls } from '../../src/reports/record-node-calls.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

const [one, other] = ['one', 'other'] as const

test('calls to nodes are stored twice a minute and at the end, and a commit that fails loses none', async () => {
  await using under = await openTestedStore(quiet)
  let isBroken = true
  const commit: Store['commit'] = (...of) => (isBroken ? Promise.reject(new Error('full')) : under.store.commit(...of))
  // Two rounds later.
  const at = periodOf(now + 60_000)
  const range = { from: at, to: at + periodMs, stepMs: periodMs }
  const stored = (network?: string) => under.store.reads.nodeCalls(range, network)
  const clock = manualClock()
  {
    await using recording = recordNodeCalls({ store: { commit }, clock, logger: quiet })
    const call = (network: string = one, answer: 'value' | 'rpcError' = 'value') =>
      recording.counting(network, noChainMetrics).called('eth_call', 0, answer, 1)
    await until(() => clock.sleeping.length > 0, { what: 'the first round' })
    call()
    call(one, 'rpcError')
    clock.advance(30_000)
    await until(() => clock.sleeping.length > 0, { what: 'the round that failed' })
    isBroken = false
    call(other)
    clock.advance(30_000)
    await until(async () => (await stored()).length > 0, { what: 'the next round' })
    expect(await stored()).toEqual([{ at, calls: 3, failed: 1 }])
    expect(await stored(one)).toEqual([{ at, calls: 2, failed: 1 }])
    call(other)
  }
  expect(await stored(other)).toEqual([{ at, calls: 2, failed: 0 }])
})
