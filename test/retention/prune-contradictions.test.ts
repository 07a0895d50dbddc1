// Contradictions older than a week go, those of the week stay.
import { expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import type { RecordedContradiction } from '../../src/domain/contradiction.ts'
import { pruneRecords } from '../../src/retention/prune-records.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

const weekMs = 7 * 86_400_000
const network = { name: 'one', chainId: 1 }

test('contradictions are kept for a week', async () => {
  await using under = await openTestedStore(quiet)
  const { store } = under
  const noted = (at: number): RecordedContradiction => ({ at, condition: 'wrong_chain', question: {}, answers: [] })
  for (const at of [now - weekMs - 1, now - weekMs, now]) {
    await store.commit((session) => session.recordContradiction(network, noted(at), 100))
  }
  const times = async () => {
    const { items } = await store.reads.contradictions(network, { page: 1, perPage: 9 })
    return items.map(({ at }) => at)
  }
  const clock = manualClock()
  await using _pruning = pruneRecords({ store, clock, logger: quiet, limits })
  await until(async () => (await times()).length < 3, { what: 'the first round' })
  expect(await times()).toEqual([now, now - weekMs])
  await until(() => clock.sleeping.includes(30_000), { what: 'the pause' })
  clock.advance(30_000)
  await until(async () => (await times()).length < 2, { what: 'the next round' })
  expect(await times()).toEqual([now])
})
