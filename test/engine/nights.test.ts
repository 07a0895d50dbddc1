// Nights: what holds a relayer up is a condition in the row of its transaction, in its overview, in the metric and in an alert, and its end ends it.
import { expect, test } from 'vitest'
import { type BroadcastOutcome, newest } from '../../src/domain/attempt.ts'
import { type Condition, runbookOf } from '../../src/domain/condition.ts'
import { defined } from '../../src/domain/defined.ts'
import type { Market } from '../../src/domain/fees.ts'
import { stateOf } from '../../src/domain/owner-report.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import type { NetworkPolicy } from '../../src/domain/relayer.ts'
import { reportToAll } from '../../src/domain/relayer-observer.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import type { Inclusion } from '../../src/domain/transaction.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { openPrometheus } from '../../src/ops/prometheus/open.ts'
import { recordReports } from '../../src/reports/record-reports.ts'
import {
  by,
  ether,
  gwei,
  headAt,
  height,
  someMarket,
  someObservation,
  type somePolicies,
  somePolicy,
} from '../domain/some.ts'
import { shippedRules } from '../ops/rules.ts'
import { quiet } from '../store/open-store.ts'
import { parseExposition, readingOf } from '../support/exposition.ts'
import { until } from '../support/settled.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from './workplace.ts'

interface Night {
  readonly policies?: Partial<typeof somePolicies>
  readonly policy?: NetworkPolicy
  readonly send?: Partial<SendRequest>
  /** The transaction is canceled once it is in flight. */
  readonly isCanceled?: true
  /** The chain from the second block on; of a transaction that waits without a nonce, from the first. */
  readonly baseFee?: bigint
  readonly balance?: bigint
  /** No node reports a price. */
  readonly isWithoutPrices?: true
  /** Every node's answer to a broadcast. */
  readonly answer?: BroadcastOutcome
  /** It gets no nonce before the night ends. */
  readonly isQueued?: true
  readonly isStanding?: true
}

const blocktimeMs = 12_000
/** The blocks of a night, and those after it, in which the chain is as it was. */
const blocks = 30

const nights = {
  gas_price_cap: { policies: { gasPriceCap: 22n * gwei }, baseFee: 30n * gwei },
  cancel_gas_price_cap: { policies: { cancelGasPriceCap: 25n * gwei }, isCanceled: true, baseFee: 30n * gwei },
  own_price: {
    send: { pricing: { kind: 'eip1559', maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei } },
    baseFee: 30n * gwei,
  },
  head_stalled: { isStanding: true },
  balance_below_minimum: { policies: { minBalance: ether / 2n }, isQueued: true, balance: ether / 4n },
  balance_short: { send: { value: ether / 2n }, isQueued: true, balance: ether / 4n },
  cancel_unfunded: { isCanceled: true, balance: 0n },
  facts_missing: { isQueued: true, isWithoutPrices: true },
  node_refuses: { answer: { kind: 'rejected', code: 'poolFull', message: 'txpool is full' } },
  no_progress: { policy: { ...somePolicy, profile: { ...somePolicy.profile, pool: 'fcfs' } } },
} as const satisfies Partial<Record<Condition, Night>>

const marketAt = (baseFee: bigint): Market => ({
  ...someMarket,
  ...{ baseFee, gasPrice: baseFee + 2n * gwei, blocks: { areUsed: true, haveRoom: true } },
})

async function openNight({ policies = {}, policy = somePolicy }: Night) {
  const place = await openWorkplace(policies)
  const { clock, relayer } = place
  const { store } = place.under
  const metrics = openPrometheus({ version: '1', clock, states: watchProcess(clock, processConditions) })
  const reports = recordReports({ store, clock, logger: quiet })
  const observer = reportToAll(metrics.relayers, reports.observer)
  const context = { ...place.context, observer, policyOf: () => policy }
  const ownership = await place.own()
  let carried = nothingUnknown
  return {
    ...place,
    /** A block comes, or time passes without one, and the owner looks. */
    async look(view: {
      readonly block: number
      readonly baseFee?: bigint
      readonly balance?: bigint
      readonly isWithoutPrices?: true
      readonly headStandsMs?: number
      readonly inclusion?: Inclusion
    }) {
      const { block, baseFee = 10n * gwei, balance = ether, isWithoutPrices, headStandsMs = 0, inclusion } = view
      const head = headAt(height + block, { baseFee })
      const at = {
        head,
        headStandsMs,
        blocktimeMs,
        market: marketAt(baseFee),
        balance,
        nonce: inclusion ? 1 : 0,
        ...(inclusion && { inclusions: new Map([[0, inclusion]]) }),
      }
      const { market, ...withoutPrices } = someObservation(at)
      place.chain.view = { ...withoutPrices, ...(market && !isWithoutPrices && { market }) }
      carried = (await step(context, ownership, carried, noneHanging)).carried
      clock.advance(blocktimeMs)
    },
    answers(outcome: BroadcastOutcome) {
      place.chain.answer = () => outcome
    },
    /** The report, once it has the condition. */
    async reported(condition: Condition) {
      const read = () => store.reads.ownerReport(relayer.id)
      await until('the report', async () => {
        if (clock.sleeping.length > 0) clock.advance(1_000)
        return (await read())?.conditions.some((each) => each.condition === condition) === true
      })
      return read()
    },
    async metric(condition: Condition) {
      const exposed = parseExposition((await metrics.expose()).text)
      return readingOf(exposed, 'rescind_relayer_condition', { relayer: relayer.id, condition })
    },
    async [Symbol.asyncDispose]() {
      await reports[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

test.each(Object.entries(nights) as [keyof typeof nights, Night][])('%s', async (condition, night) => {
  await using place = await openNight(night)
  const id = await place.send(night.send)
  const { isStanding, isQueued, baseFee, balance, isWithoutPrices } = night
  const dark = defined({ baseFee, balance, isWithoutPrices })
  if (night.answer) place.answers(night.answer)
  if (!isQueued) await place.look({ block: 1 })
  if (night.isCanceled) await place.cancel(id)
  for (let block = 2; block <= blocks; block += 1)
    await place.look(isStanding ? { block: 1, headStandsMs: block * blocktimeMs } : { block, ...dark })
  expect((await place.read(id)).wait?.condition).toBe(condition)
  const report = await place.reported(condition)
  expect(report?.conditions).toMatchObject([{ condition }])
  expect(stateOf(false, report, report?.observedAt ?? 0)).toBe('waiting')
  expect(await place.metric(condition)).toBe(1)
  const alerts = (await shippedRules()).filter(({ expr }) =>
    new RegExp(`condition=~?"[^"]*\\b${condition}\\b`).test(expr),
  )
  const links = alerts.map(({ annotations }) => annotations?.runbook_url)
  expect(links.some((link) => link?.endsWith(runbookOf(condition)) || link?.includes('$labels.condition'))).toBe(true)

  if (isQueued) {
    await place.look({ block: blocks + 1 })
    expect((await place.read(id)).lifecycle.phase).toBe('inFlight')
  } else {
    // A block that holds its newest attempt ends it.
    const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
    await place.look({ block: blocks + 1, inclusion: by(newest(attempts), height + blocks + 1) })
  }
  expect(await place.metric(condition)).toBe(0)
})
