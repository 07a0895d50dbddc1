// A relayer without open transactions: a condition that would hold up its next send is stored, and shown by every replica and after a restart.
import { expect, test } from 'vitest'
import { dayMs } from '../../src/domain/daily-spend.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { stateOf } from '../../src/domain/owner-report.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { reportToAll } from '../../src/domain/relayer-observer.ts'
import type { Inclusion } from '../../src/domain/transaction.ts'
import { freshOwner } from '../../src/engine/step.ts'
import { watchRelayers } from '../../src/ops/relayer-states.ts'
import { recordReports } from '../../src/reports/record-reports.ts'
import { surveyIdle } from '../../src/reports/survey-idle.ts'
import { ether, gwei, someAttempt, someMarket, someObservation, somePayload } from '../domain/some.ts'
import { noneHanging, openWorkplace, step } from '../engine/workplace.ts'
import { send } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { until } from '../support/settled.ts'

const by = 'operator' as ApiKeyId

async function openSurvey(policies: Partial<Policies> = {}) {
  const place = await openWorkplace(policies)
  const { clock, relayer, chain } = place
  const { store } = place.under
  const states = watchRelayers()
  const woken: RelayerId[] = []
  let isOwner = true
  let reports = recordReports({ store, clock, logger: quiet })
  const open = () => {
    const observer = reportToAll(states.observer, reports.observer)
    const context = { ...place.context, observer }
    const surveying = {
      context,
      relayers: () => [relayer],
      owns: () => isOwner,
      reports,
      wake: () => void woken.push(relayer.id),
    }
    return { context, survey: surveyIdle(surveying) }
  }
  let running = open()
  chain.view = someObservation({ market: someMarket, balance: ether })
  const read = () => store.reads.ownerReport(relayer.id)
  const end = async () => {
    await running.survey[Symbol.asyncDispose]()
    await reports[Symbol.asyncDispose]()
  }
  return {
    ...place,
    woken,
    read,
    /** The relayer goes to another process; true: it comes back. */
    owns(does: boolean) {
      isOwner = does
      if (!does) reports.observer.released(relayer.id)
    },
    foreignUse: (isHeld: boolean) => reports.observer.foreignUse(relayer, { isHeld, nonces: 1 }),
    /** Lets time pass until the row says so. */
    async shows(what: string, condition: (found: NonNullable<Awaited<ReturnType<typeof read>>>) => boolean) {
      await until(what, async () => {
        // Both sleep: nothing of them is under way.
        if (clock.sleeping.length === 2) clock.advance(1_000)
        const found = await read()
        return found !== undefined && condition(found)
      })
      return read()
    },
    async passes(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        clock.advance(1_000)
        await until('the sleep of both', () => clock.sleeping.length >= 2)
      }
    },
    /** A payment is final now. */
    async spends(value: bigint) {
      const sent = await send(store, relayer.id, { payload: { ...somePayload, value } })
      const attempt = someAttempt(0, { transactionId: sent.id, nonce: 0 })
      const { hash, kind } = attempt
      const charge = { gasUsed: 21_000, effectiveGasPrice: 1n }
      const inclusion: Inclusion = { by: 'attempt', hash, kind, block: { number: 9, hash }, succeeded: true, ...charge }
      const finalAt = clock.now()
      const lifecycle = { phase: 'final', nonce: 0, attempts: [attempt], inclusion, finalAt, witnesses: 1 } as const
      await store.commit((session) => session.saveTransaction(sent, { ...sent, lifecycle }, finalAt), relayer.id)
    },
    step: async () => step(running.context, await place.own(), freshOwner, noneHanging),
    state: () => Object.entries(states.counts([relayer], () => true)).find(([, count]) => count > 0)?.[0],
    async restart() {
      await end()
      reports = recordReports({ store, clock, logger: quiet })
      running = open()
    },
    async [Symbol.asyncDispose]() {
      await end()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('an account that pays for a send has no condition', async () => {
  await using place = await openSurvey()
  const found = await place.shows('a look', () => true)
  expect(found).toEqual({
    observedAt: expect.any(Number),
    balance: { wei: ether, readAt: found?.observedAt },
    funds: { warnings: [] },
    conditions: [],
  })
  expect(stateOf(false, found, place.clock.now())).toBe('ok')
  // Nobody has looked for long: the owner may be gone.
  expect(stateOf(false, found, (found?.observedAt ?? 0) + 900_001)).toBe('unobserved')
  expect(stateOf(false, undefined, place.clock.now())).toBe('unobserved')
  expect(place.state()).toBe('ok')
  // Only its account and the prices are read, and not again for minutes.
  expect(place.chain.inquiries).toMatchObject([{ market: true, live: [], estimates: [] }])
  // A step reads the balance for itself.
  expect(place.chain.inquiries[0]).not.toHaveProperty('balance')
  await place.passes(200_000)
  expect(place.chain.inquiries).toHaveLength(1)
})

test('an empty account, with the figures and since when, also after a restart', async () => {
  await using place = await openSurvey()
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  const found = await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  expect(found).toMatchObject({
    balance: { wei: 1n },
    conditions: [
      {
        condition: 'balance_short',
        since: found?.observedAt,
        facts: { of: 'send', balance: 1n, value: 0n, paysL1: false },
      },
    ],
  })
  expect(place.state()).toBe('waiting')
  const [held] = found?.conditions ?? []
  if (!held) throw new Error('no condition')
  const acknowledged = { at: place.clock.now(), by }
  await place.under.store.commit((session) => session.acknowledge(place.relayer.id, held, acknowledged))

  await place.restart()
  const later = await place.shows('another look', ({ observedAt }) => observedAt > (found?.observedAt ?? 0))
  expect(later?.conditions).toEqual([{ ...held, acknowledged }])
  // A top-up shows within a minute.
  place.chain.view = someObservation({ market: someMarket, balance: ether })
  await place.shows('the end of the condition', ({ conditions, balance }) => {
    return conditions.length === 0 && balance?.wei === ether
  })
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  const again = await place.shows('the condition again', ({ conditions }) => conditions.length > 0)
  expect(again?.conditions[0]).not.toHaveProperty('acknowledged')
  expect(again?.conditions[0]?.since).toBeGreaterThan(held.since)
})

test('an account that lasts for hours at the spending of the day, until it is topped up, also after a restart', async () => {
  await using place = await openSurvey({ cancelReserve: ether / 100n, minBalance: ether / 100n })
  await place.spends((196n * ether) / 100n)
  const found = await place.shows('the warning', ({ funds }) => (funds?.warnings.length ?? 0) > 0)
  expect(found?.conditions).toEqual([])
  expect(stateOf(false, found, place.clock.now())).toBe('ok')
  const [warning] = found?.funds?.warnings ?? []
  expect(warning).toEqual({ warning: 'runway_short', since: found?.observedAt })
  expect(found?.funds?.runway).toEqual({ ms: dayMs / 2 - 1, perDay: (196n * ether) / 100n + 21_000n })

  await place.restart()
  place.chain.view = someObservation({ market: someMarket, balance: (28n * ether) / 10n })
  const later = await place.shows('another look', ({ observedAt }) => observedAt > (found?.observedAt ?? 0))
  expect(later?.funds?.warnings).toEqual([warning])
  place.chain.view = someObservation({ market: someMarket, balance: 3n * ether })
  await place.shows('the end', ({ funds }) => funds?.warnings.length === 0)
})

test('a condition begins with a look a minute later, and so does its end, each as one event, across restarts', async () => {
  await using place = await openSurvey()
  const events = async () => {
    const rows = await place.under.query<{ id: number; terminal: number }>(
      `SELECT id, terminal FROM outbox WHERE transaction_id = 'relayer ${place.relayer.id}' ORDER BY id`,
    )
    return rows.map(({ terminal }) => Number(terminal))
  }
  const isLater = (than: { readonly observedAt: number } | undefined, ms: number) => (found: { observedAt: number }) =>
    found.observedAt >= (than?.observedAt ?? 0) + ms
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  const found = await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  await place.restart()
  const again = await place.shows('a look of the next process', isLater(found, 1))
  expect(await events()).toEqual([])
  await place.shows('a look a minute later', isLater(found, 60_000))
  expect(await events()).toEqual([0])
  await place.restart()
  await place.shows('a look of the third process', isLater(again, 90_000))
  expect(await events()).toEqual([0])

  place.chain.view = someObservation({ market: someMarket, balance: ether })
  const gone = await place.shows('the end of the condition', ({ conditions }) => conditions.length === 0)
  await place.restart()
  const clear = await place.shows('a look of the fourth process', isLater(gone, 1))
  expect(await events()).toEqual([0])
  const over = await place.shows('a look a minute later', isLater(gone, 60_000))
  expect(await events()).toEqual([0, 1])
  // An idle relayer without conditions is looked at every five minutes: this look came for the event.
  expect((over?.observedAt ?? 0) - (clear?.observedAt ?? 0)).toBeLessThan(300_000)
  await place.restart()
  await place.shows('a look of the fifth process', isLater(over, 1))
  expect(await events()).toEqual([0, 1])
})

test('silent nodes, from the second look on', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  place.chain.view = undefined
  const found = await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toMatchObject([
    { condition: 'node_unreachable', facts: { of: 'network', words: 'no endpoint answers' } },
  ])
  // The balance of the last look that had an answer.
  expect(found?.balance).toMatchObject({ wei: ether })
  expect(found?.balance?.readAt).toBeLessThan(found?.observedAt ?? 0)
  expect(stateOf(false, found, place.clock.now())).toBe('unreachable')
  expect(place.state()).toBe('unreachable')
  expect(place.chain.inquiries.length).toBeGreaterThanOrEqual(3)
  place.chain.view = someObservation({ market: someMarket, balance: ether })
  await place.shows('the end of the condition', ({ conditions }) => conditions.length === 0)
})

test('a head that stands still, with its block', async () => {
  await using place = await openSurvey()
  const standing = (headStandsMs: number) =>
    someObservation({ market: someMarket, balance: ether, headStandsMs, blocktimeMs: 2_000 })
  place.chain.view = standing(100_000)
  expect((await place.shows('a look', () => true))?.conditions).toEqual([])
  place.chain.view = standing(100_001)
  const found = await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toMatchObject([{ condition: 'head_stalled', facts: { block: 100 } }])
  expect(stateOf(false, found, place.clock.now())).toBe('waiting')
  place.chain.view = standing(0)
  await place.shows('the end of the condition', ({ conditions }) => conditions.length === 0)
})

test.each([
  ['gas_price_cap', { gasPriceCap: gwei }, { of: 'send', cap: gwei }],
  ['balance_below_minimum', { minBalance: 2n * ether }, { balance: ether, minBalance: 2n * ether }],
] as const)('%s, by the policy', async (condition, policies, facts) => {
  await using place = await openSurvey(policies)
  place.chain.view = someObservation({ market: { ...someMarket, baseFee: 20n * gwei }, balance: ether })
  const found = await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toMatchObject([{ condition, facts }])
})

test('the end of a wait is looked for at once, and nothing is read twice of a busy relayer', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  const sent = await place.send()
  await place.step()
  const held = await place.shows('the wait', ({ conditions }) => conditions.length > 0)
  // The transaction has the text.
  expect(held?.conditions).toEqual([{ condition: 'balance_short', since: expect.any(Number) }])
  const reads = place.chain.inquiries.length
  await place.passes(20_000)
  expect(place.chain.inquiries).toHaveLength(reads)

  await place.cancel(sent)
  place.chain.view = someObservation({ market: someMarket, balance: ether })
  await place.step()
  await place.shows('the end', ({ conditions }) => conditions.length === 0)
  expect(place.chain.inquiries).toHaveLength(reads + 1)
})

test('a balance that changes while a send waits for it is stored at once, as the payment that ends the wait depends on it', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  place.chain.view = someObservation({ market: someMarket, balance: 2n })
  await place.send()
  await place.step()
  await place.shows('the wait', ({ conditions }) => conditions.length > 0)
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  await place.step()
  await place.passes(2_000)
  expect(await place.read()).toMatchObject({ balance: { wei: 1n } })
})

test('a relayer with open transactions is woken if no head comes for half a minute', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  await place.send()
  await place.step()
  await place.passes(29_000)
  expect(place.woken).toEqual([])
  await place.passes(20_000)
  expect(place.woken).toEqual([place.relayer.id])
  await place.step()
  await place.passes(29_000)
  expect(place.woken).toEqual([place.relayer.id])
})

test('a relayer that comes back from another process is looked at anew, at once', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  place.owns(false)
  await place.passes(2_000)
  expect(place.chain.inquiries).toHaveLength(1)
  place.chain.view = someObservation({ market: someMarket, balance: 1n })
  place.owns(true)
  await place.passes(3_000)
  expect(place.chain.inquiries).toHaveLength(2)
  await place.shows('the condition', ({ conditions }) => conditions.length > 0)
  // Between two looks.
  place.owns(false)
  place.owns(true)
  place.chain.view = undefined
  await place.passes(1_000)
  expect(place.chain.inquiries).toHaveLength(3)
  // The first look that no node answers says nothing yet.
  expect((await place.read())?.conditions).toMatchObject([{ condition: 'balance_short' }])
  await place.shows('the silence', ({ conditions }) =>
    conditions.some(({ condition }) => condition === 'node_unreachable'),
  )
})

test('a policy that changed is in force at once', async () => {
  await using place = await openSurvey()
  place.chain.view = someObservation({ market: { ...someMarket, baseFee: 20n * gwei }, balance: ether })
  await place.shows('a look', () => true)
  const policies = { ...place.relayer.policies, gasPriceCap: gwei }
  await place.under.store.commit((session) => session.saveRelayer({ ...place.relayer, policies }))
  await place.step()
  const found = await place.shows('the cap', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toMatchObject([{ condition: 'gas_price_cap' }])
  expect(place.chain.inquiries).toHaveLength(2)
  // The same policies again are no change.
  await place.step()
  await place.passes(10_000)
  expect(place.chain.inquiries).toHaveLength(2)
})

test('a pause shows at once, and so does its end', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  await place.passes(200_000)
  const pausedAt = place.clock.now()
  const pause = (paused: boolean) =>
    place.under.store.commit((session) => session.saveRelayer({ ...place.relayer, paused }))
  await pause(true)
  await place.step()
  const found = await place.shows('the pause', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toMatchObject([{ condition: 'paused' }])
  // The last look was minutes ago.
  expect(found?.conditions[0]?.since).toBeGreaterThanOrEqual(pausedAt)
  expect(stateOf(true, found, place.clock.now())).toBe('paused')
  await pause(false)
  await place.step()
  await place.shows('its end', ({ conditions }) => conditions.length === 0)
})

test('a foreign use of the key holds since it was found, not since the look before', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  await place.passes(200_000)
  const foundAt = place.clock.now()
  place.foreignUse(true)
  const found = await place.shows('the use', ({ conditions }) => conditions.length > 0)
  expect(found?.conditions).toEqual([{ condition: 'foreign_use', since: expect.any(Number) }])
  expect(found?.conditions[0]?.since).toBeGreaterThanOrEqual(foundAt)
  expect(found?.observedAt).toBeLessThan(foundAt)
})

test('one node counts more than the record explains: it is counted again at once, as before a send, and that is no event', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  place.chain.view = someObservation({ market: someMarket, balance: ether, doubtedCount: 9 })
  const begun = await place.shows('the doubt', ({ conditions }) => conditions.length > 0)
  expect(begun?.conditions).toMatchObject([{ condition: 'gap_unconfirmed' }])
  const looks = place.chain.inquiries.length
  await place.passes(15_000)
  expect(place.chain.inquiries.length).toBeGreaterThanOrEqual(looks + 2)
})

test('a late answer of a relayer that was released is not stored', async () => {
  await using place = await openSurvey()
  await place.shows('a look', () => true)
  const reports = recordReports({ store: place.under.store, clock: place.clock, logger: quiet })
  reports.observer.failed(place.relayer.id)
  reports.observer.released(place.relayer.id)
  await place.passes(5_000)
  expect((await place.read())?.conditions).toEqual([])
  await reports[Symbol.asyncDispose]()
})
