// Figures older than eight days go, those of the eight days stay.
import { expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import { periodMs, periodOf } from '../../src/domain/figures.ts'
import { pruneRecords } from '../../src/retention/prune-records.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { send, storedRelayer } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

const keptMs = 8 * 86_400_000

test('figures are kept for eight days, and go in portions', async () => {
  await using under = await openTestedStore(quiet)
  const { store } = under
  const relayers = await Promise.all([1, 2].map(() => storedRelayer(store)))
  const from = periodOf(now - keptMs) - 600 * periodMs
  for (const { id } of relayers) {
    const cancellation = (at: number) => ({ origin: 'request' as const, requestedAt: at })
    const times = [...Array.from({ length: 300 }, (_, index) => from + index * periodMs), now - keptMs + periodMs, now]
    await Promise.all(
      times.map(async (at) => {
        const sent = await send(store, id)
        const dropped = { phase: 'dropped', reason: 'canceled', droppedAt: at } as const
        const ended = { ...sent, cancellation: cancellation(at), lifecycle: dropped }
        await store.commit((session) => session.saveTransaction(sent, ended, at), id)
      }),
    )
  }
  for (const at of [from, periodOf(now)]) {
    await store.commit((session) => session.addNodeCalls('one', { at, calls: 1, failed: 0 }))
  }
  const range = { from: 0, to: now + periodMs, stepMs: periodMs }
  const sumsOf = async () => (await store.reads.figures({ ...range, from })).map(({ figures }) => figures.canceled)
  expect(await sumsOf()).toHaveLength(302)
  const clock = manualClock()
  await using _pruning = pruneRecords({ store, clock, logger: quiet, limits })
  const isDone = async () => (await under.query('SELECT 1 FROM figures')).length === 4
  await until(isDone, { what: 'the first round' })
  expect(await sumsOf()).toEqual([2, 2])
  expect(await store.reads.nodeCalls({ ...range, from })).toEqual([{ at: periodOf(now), calls: 1, failed: 0 }])
})
